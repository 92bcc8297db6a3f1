/** How far something is, and how fast it goes. */
export interface Progress {
  /** Never goes back, whatever has to be sent again. */
  readonly bytes: number
  readonly bytesPerSecond: number
  readonly at: number
  /** Bytes since `at`. */
  readonly fresh: number
}

// Long enough for a steady figure, short enough to notice a line that went away.
const halfLifeMs = 4_000
const sampleMs = 500

export const noProgress = (at: number): Progress => ({ bytes: 0, bytesPerSecond: 0, at, fresh: 0 })

/** Bytes that were there before this run: they say nothing about its speed. */
export const already = (progress: Progress, bytes: number): Progress => ({
  ...progress,
  bytes: progress.bytes + bytes,
})

export function advance(progress: Progress, at: number, bytes: number): Progress {
  const total = progress.bytes + bytes
  const fresh = progress.fresh + bytes
  const took = at - progress.at
  if (took < sampleMs) return { ...progress, bytes: total, fresh }
  return { bytes: total, bytesPerSecond: speed(progress, took, fresh), at, fresh: 0 }
}

function speed({ bytesPerSecond }: Progress, took: number, fresh: number): number {
  const weight = 1 - 0.5 ** (took / halfLifeMs)
  const measured = (fresh / took) * 1_000
  // The first figure has nothing to be smoothed against.
  return bytesPerSecond === 0 ? measured : bytesPerSecond + (measured - bytesPerSecond) * weight
}

/** The speed at this moment, also when nothing has been heard for a while. */
export const speedAt = (progress: Progress, at: number) => advance(progress, at, 0).bytesPerSecond

/** Seconds until all is moved; undefined while nothing moves. */
export function secondsLeft(progress: Progress, at: number, size: number): number | undefined {
  const left = Math.max(0, size - progress.bytes)
  if (left === 0) return 0
  const bytesPerSecond = speedAt(progress, at)
  return bytesPerSecond < 1 ? undefined : Math.ceil(left / bytesPerSecond)
}
