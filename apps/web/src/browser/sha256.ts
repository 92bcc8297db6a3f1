/** SHA-256 piece by piece, which the browser's own cannot. */
export interface Sha256 {
  readonly update: (bytes: Uint8Array) => void
  /** Lower-case hex. Nothing may be added afterwards. */
  readonly finish: () => string
}

const constants = firstPrimes(64).map((prime) => fraction(Math.cbrt(prime)))
const rounds = Int32Array.from(constants)
const beginning = Int32Array.from(firstPrimes(8).map((prime) => fraction(Math.sqrt(prime))))

function firstPrimes(count: number): number[] {
  const primes: number[] = []
  for (let n = 2; primes.length < count; n++) if (primes.every((prime) => n % prime !== 0)) primes.push(n)
  return primes
}

/** The first 32 bits behind the point. */
function fraction(root: number): number {
  return ((root - Math.floor(root)) * 2 ** 32) | 0
}

const blockBytes = 64

export function createSha256(): Sha256 {
  const state = Int32Array.from(beginning)
  const words = new Int32Array(64)
  const rest = new Uint8Array(blockBytes)
  let resting = 0
  let length = 0

  const update = (bytes: Uint8Array) => {
    length += bytes.length
    let at = 0
    if (resting > 0) {
      at = Math.min(blockBytes - resting, bytes.length)
      rest.set(bytes.subarray(0, at), resting)
      resting += at
      if (resting < blockBytes) return
      compress(state, words, rest, 0)
      resting = 0
    }
    for (; at + blockBytes <= bytes.length; at += blockBytes) compress(state, words, bytes, at)
    rest.set(bytes.subarray(at))
    resting = bytes.length - at
  }

  const finish = () => {
    const bits = length * 8
    const end = new Uint8Array(resting < 56 ? blockBytes : 2 * blockBytes)
    end.set(rest.subarray(0, resting))
    end[resting] = 0x80
    const view = new DataView(end.buffer)
    view.setUint32(end.length - 8, Math.floor(bits / 2 ** 32))
    view.setUint32(end.length - 4, bits >>> 0)
    for (let at = 0; at < end.length; at += blockBytes) compress(state, words, end, at)
    return [...state].map((word) => (word >>> 0).toString(16).padStart(8, '0')).join('')
  }

  return { update, finish }
}

/** One block, as FIPS 180-4 has it. Words are read and rotated in place: this is where all the time goes. */
function compress(state: Int32Array, w: Int32Array, bytes: Uint8Array, at: number): void {
  for (let i = 0, p = at; i < 16; i++, p += 4) {
    w[i] =
      ((bytes[p] as number) << 24) |
      ((bytes[p + 1] as number) << 16) |
      ((bytes[p + 2] as number) << 8) |
      (bytes[p + 3] as number)
  }
  for (let i = 16; i < 64; i++) {
    const x = w[i - 15] as number
    const y = w[i - 2] as number
    const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3)
    const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10)
    w[i] = ((w[i - 16] as number) + s0 + (w[i - 7] as number) + s1) | 0
  }
  let a = state[0] as number
  let b = state[1] as number
  let c = state[2] as number
  let d = state[3] as number
  let e = state[4] as number
  let f = state[5] as number
  let g = state[6] as number
  let h = state[7] as number
  for (let i = 0; i < 64; i++) {
    const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7))
    const first = (h + s1 + ((e & f) ^ (~e & g)) + (rounds[i] as number) + (w[i] as number)) | 0
    const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10))
    const second = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0
    h = g
    g = f
    f = e
    e = (d + first) | 0
    d = c
    c = b
    b = a
    a = (first + second) | 0
  }
  state[0] = ((state[0] as number) + a) | 0
  state[1] = ((state[1] as number) + b) | 0
  state[2] = ((state[2] as number) + c) | 0
  state[3] = ((state[3] as number) + d) | 0
  state[4] = ((state[4] as number) + e) | 0
  state[5] = ((state[5] as number) + f) | 0
  state[6] = ((state[6] as number) + g) | 0
  state[7] = ((state[7] as number) + h) | 0
}
