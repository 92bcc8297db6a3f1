/**
 * Many listeners in a thread of their own: what they read must not slow down the thread that measures.
 *
 * Told where to listen, it connects and says so; asked, it answers how far each listener has been told.
 */
import { Agent, get } from 'node:http'
import { parentPort, workerData } from 'node:worker_threads'
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

const seats = workerData as readonly Seat[]
const furthest = seats.map(() => -1)
let events = 0
let ended = 0

const agent = new Agent({ maxSockets: Number.POSITIVE_INFINITY })

const listen = ({ url, token }: Seat, index: number) =>
  new Promise<void>((resolve, reject) => {
    const asked = get(url, { agent, headers: { 'x-package-token': token } }, (reply) => {
      if (reply.statusCode !== 200) return reject(new Error(`A listener was answered ${reply.statusCode}.`))
      let rest = ''
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

parentPort?.on('message', () => parentPort?.postMessage({ furthest, events, ended } satisfies Heard))
await forEach(seats, 50, listen)
parentPort?.postMessage('listening')
