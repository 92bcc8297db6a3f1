/** The value that so large a share of all values does not exceed. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const upper = Math.floor(sorted.length / 2)
  const middle = sorted.length % 2 === 1 ? [sorted[upper]] : [sorted[upper - 1], sorted[upper]]
  return middle.reduce<number>((sum, value) => sum + (value ?? Number.NaN), 0) / middle.length
}
