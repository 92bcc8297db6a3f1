/** A few buffers that go round, so that moving a terabyte makes no garbage. */
export interface Buffers {
  readonly take: () => Buffer
  readonly giveBack: (buffer: Buffer) => void
}

/** Keeps at most so many that nobody uses; the rest is left to the garbage collector. */
export function createBuffers(bytes: number, kept: number): Buffers {
  const free: Buffer[] = []
  return {
    take: () => free.pop() ?? Buffer.allocUnsafeSlow(bytes),
    giveBack: (buffer) => {
      if (free.length < kept) free.push(buffer)
    },
  }
}
