/** The mail catcher: takes every mail by SMTP, delivers none, and shows what it got over HTTP. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { parseArgs } from 'node:util'
import PostalMime from 'postal-mime'
import { SMTPServer, type SMTPServerDataStream, type SMTPServerEnvelope } from 'smtp-server'

type Message = {
  readonly from: string
  readonly to: readonly string[]
  readonly subject: string
  readonly text: string | null
  readonly html: string | null
  readonly received_at: string
  readonly headers: readonly { readonly key: string; readonly value: string }[]
}

// Enough for any test run; a sender in an endless loop pushes out the oldest instead of filling the memory.
const mostMessages = 2000
const mostBytes = 64 * 2 ** 20
const largestMessage = 10 * 2 ** 20

const kept: { readonly message: Message; readonly bytes: number }[] = []

function keep(message: Message, bytes: number): void {
  kept.push({ message, bytes })
  let total = kept.reduce((sum, one) => sum + one.bytes, 0)
  while (kept.length > mostMessages || total > mostBytes) total -= kept.shift()?.bytes ?? 0
}

/** The recipients are those of the envelope: who would really have got it, blind copies too. */
async function readMessage(raw: Buffer, envelope: SMTPServerEnvelope): Promise<Message> {
  const mail = await PostalMime.parse(raw)
  return {
    from: mail.from?.address ?? (envelope.mailFrom === false ? '' : envelope.mailFrom.address),
    to: envelope.rcptTo.map((recipient) => recipient.address),
    subject: mail.subject ?? '',
    text: mail.text ?? null,
    html: mail.html ?? null,
    received_at: new Date().toISOString(),
    headers: mail.headers.map(({ key, value }) => ({ key, value })),
  }
}

/** Answers the refusal, if there is one. */
async function receive(stream: SMTPServerDataStream, envelope: SMTPServerEnvelope): Promise<Error | undefined> {
  try {
    const raw = await buffer(stream)
    if (stream.sizeExceeded) return Object.assign(new Error('The message is too large.'), { responseCode: 552 })
    keep(await readMessage(raw, envelope), raw.length)
    return undefined
  } catch (error) {
    return Object.assign(error as Error, { responseCode: 554 })
  }
}

const smtp = new SMTPServer({
  // A login would be made up and a certificate self-signed: neither proves anything here.
  disabledCommands: ['AUTH', 'STARTTLS'],
  size: largestMessage,
  logger: false,
  onData(stream, session, settle) {
    void receive(stream, session.envelope).then((refusal) => settle(refusal))
  },
})

function answer(request: IncomingMessage, response: ServerResponse): void {
  const asked = `${request.method} ${request.url?.split('?')[0]}`
  if (asked === 'GET /messages')
    return json(
      response,
      200,
      kept.map(({ message }) => message),
    )
  if (asked === 'DELETE /messages') {
    kept.length = 0
    response.writeHead(204).end()
    return
  }
  if (asked === 'GET /healthz') return json(response, 200, { smtp: smtp.server.listening })
  json(response, 404, { message: 'There is GET /messages, DELETE /messages and GET /healthz.' })
}

function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(body))
}

const { values } = parseArgs({
  options: {
    smtp: { type: 'string' },
    http: { type: 'string' },
    // Not read here: `down` recognises the processes of its stack by the folder on their command line.
    stack: { type: 'string' },
  },
})
smtp.listen(Number(values.smtp), '127.0.0.1')
createServer(answer).listen(Number(values.http), '127.0.0.1')

process.once('SIGTERM', () => process.exit(0))
