import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import type { TestContext } from 'node:test'
import { type Mailer, smtpMailer } from '#outbound/mail'
import { mailSender } from './cx.ts'
import { testStack } from './stack.ts'

/** A mail server that can be away: it leads to the mail catcher of the stack while it is open. */
export async function smtpRoad(t: TestContext) {
  const catcher = new URL(testStack().smtp_url)
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    const onward = connect(Number(catcher.port), catcher.hostname)
    for (const [end, other] of [
      [socket, onward],
      [onward, socket],
    ] as const) {
      sockets.add(end)
      end.on('error', () => other.destroy()).on('close', () => sockets.delete(end))
    }
    socket.pipe(onward).pipe(socket)
  })
  const port = await freePort()
  const close = async () => {
    for (const socket of sockets) socket.destroy()
    if (server.listening) await closed(server)
  }
  t.after(close)
  return {
    mailer: smtpMailer(`smtp://127.0.0.1:${port}`, mailSender),
    open: async () => {
      server.listen(port, '127.0.0.1')
      await once(server, 'listening')
    },
    close,
  }
}

/** A mail server that answers every recipient with this line. */
export async function smtpRefusing(t: TestContext, line: string): Promise<Mailer> {
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy())
    socket.write('220 refusing.test ESMTP\r\n')
    socket.on('data', (piece) => {
      for (const said of piece.toString().split('\r\n').slice(0, -1)) {
        socket.write(`${said.startsWith('RCPT') ? line : '250 OK'}\r\n`)
      }
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => closed(server))
  return smtpMailer(`smtp://127.0.0.1:${(server.address() as AddressInfo).port}`, mailSender)
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await closed(server)
  return port
}

const closed = (server: Server) => new Promise<void>((resolve) => server.close(() => resolve()))
