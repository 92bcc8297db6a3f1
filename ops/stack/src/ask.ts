import { connect, type NetConnectOpts } from 'node:net'

/** Sends one question over a socket and answers what came back until `enough` is content, or '' after two seconds. */
export function ask(to: NetConnectOpts, question: string, enough: (answer: string) => boolean): Promise<string> {
  return new Promise((resolve) => {
    let answer = ''
    const socket = connect({ ...to, timeout: 2000 } as NetConnectOpts, () => socket.write(question))
    socket.setEncoding('latin1')
    socket.on('data', (piece: string) => {
      answer += piece
      if (enough(answer)) socket.end()
    })
    socket.on('timeout', () => socket.destroy())
    socket.on('error', () => {})
    socket.on('close', () => resolve(enough(answer) ? answer : ''))
  })
}
