/**
 * Many listeners in a process of their own: what they read must not slow down the one that measures.
 *
 * Told where to listen, it connects and answers; asked after that, it answers how far each listener has been told.
 */
import { Agent, get } from 'node:http'
import { forEach } from './lanes.ts'

export interface Seat {
  readonly url: string
  readonly token: string
}

export interface Heard {
  /** The furthest `uploaded_bytes` that each listener was told, in the order of the seats. */
  readonly furthest: readonly number[]
  readonly events: number
  readonly ended: number
}

const furthest: number[] = []
let events = 0
let ended = 0

const agent = new Agent({ maxSockets: Number.POSITIVE_INFINITY })

const listen = ({ url, token }: Seat, index: number) =>
  new Promise<void>((resolve, reject) => {
    const asked = get(url, { agent, headers: { 'x-package-token': token } }, (reply) => {
      if (reply.statusCode !== 200) return reject(new Error(`A listener was answered ${reply.statusCode}.`))
      let rest = ''
      furthest[index] = -1
      reply.setEncoding('utf8')
      reply.on('data', (piece: string) => {
        const told = (rest + piece).split('\n\n')
        rest = told.pop() ?? ''
        for (const event of told) {
          const bytes = /"uploaded_bytes":(\d+)/.exec(event)?.[1]
          if (bytes === undefined) continue
          events += 1
          furthest[index] = Math.max(furthest[index] ?? -1, Number(bytes))
        }
      })
      reply.on('error', () => {})
      reply.on('close', () => (ended += 1))
      resolve()
    })
    asked.on('error', reject)
  })

const seat = async (seats: readonly Seat[]) => {
  await forEach(seats, 50, listen)
  process.send?.({ furthest, events, ended } satisfies Heard)
}

// One that is refused ends the process, and with it the benchmark.
process.on('message', (seats: readonly Seat[]) => void seat(seats))
