import { connect } from 'node:net'

export type Verdict =
  | { readonly kind: 'clean' }
  | { readonly kind: 'infected'; readonly virus: string }
  /** The scanner gave up on it, for instance for its size. It has said nothing about viruses. */
  | { readonly kind: 'not_scanned'; readonly why: string }

/** One stream on its way through the scanner. */
export interface Scan {
  /** Waits while the scanner is slower than we are. */
  write(piece: Uint8Array): Promise<void>
  /** Ends the stream and asks what was found. Throws `ScannerTrouble` when the scanner does not say. */
  verdict(): Promise<Verdict>
  /** Gives up. Harmless at any time. */
  abort(): void
}

export interface Scanner {
  /** Bytes that it can look into. What is longer it would pass unseen. */
  readonly limit: number
  open(): Promise<Scan>
}

/** The scanner is away, or went away. Nothing is known about the stream. */
export class ScannerTrouble extends Error {
  override readonly name = 'ScannerTrouble'
}

// ClamAV answers OK to streams of 2 GiB and more without having looked at them.
const clamdLimit = 2_000_000_000

const answerMs = 15 * 60_000

/** ClamAV's daemon, at host and port, by its INSTREAM command. */
export function clamd(address: { readonly host: string; readonly port: number }, limit = clamdLimit): Scanner {
  return {
    limit: Math.min(limit, clamdLimit),
    async open() {
      const socket = connect(address)
      socket.setTimeout(answerMs, () => socket.destroy(new Error('clamd said nothing for too long')))
      let failed: Error | undefined
      let answer = ''
      socket.setEncoding('utf8')
      socket.on('data', (text: string) => {
        answer += text
      })
      socket.on('error', (error) => {
        failed = error
      })
      const closed = new Promise((resolve) => socket.once('close', resolve))
      const connected = new Promise((resolve) => socket.once('connect', resolve))
      const trouble = () => new ScannerTrouble(`clamd: ${failed?.message ?? 'the connection ended'}`, { cause: failed })

      const write = async (bytes: Uint8Array): Promise<void> => {
        // It may have made up its mind already and closed; what it said is read by `verdict`.
        if (answer !== '' || failed !== undefined) return
        if (socket.destroyed) throw trouble()
        // Until they are gone: the next piece may come in the same memory. Whatever ends the connection shows at the next.
        await new Promise<void>((resolve) => socket.write(bytes, () => resolve()))
      }

      await Promise.race([connected, closed])
      if (socket.destroyed) throw trouble()
      await write(Buffer.from('zINSTREAM\0'))
      return {
        async write(piece) {
          if (piece.length === 0) return
          const length = Buffer.alloc(4)
          length.writeUInt32BE(piece.length)
          await write(length)
          await write(piece)
        },
        async verdict() {
          if (!socket.destroyed) socket.end(Buffer.alloc(4))
          await closed
          if (answer === '') throw trouble()
          return verdictOf(answer)
        },
        abort: () => void socket.destroy(),
      }
    },
  }
}

function verdictOf(answer: string): Verdict {
  const line = answer.replaceAll('\0', '').trim()
  if (line === 'stream: OK') return { kind: 'clean' }
  const found = /^stream: (.+) FOUND$/.exec(line)?.[1]
  // Where the operator had it say so: an archive that was too deep, too large or too slow to be looked through.
  if (found?.startsWith('Heuristics.Limits.Exceeded')) return { kind: 'not_scanned', why: found }
  if (found !== undefined) return { kind: 'infected', virus: found }
  if (line.startsWith('INSTREAM size limit exceeded')) return { kind: 'not_scanned', why: line }
  throw new ScannerTrouble(`clamd: ${line}`)
}
