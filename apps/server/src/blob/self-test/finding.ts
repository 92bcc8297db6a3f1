/**
 * How the store met a trick. `refused`: it said no. `harmless`: it said yes, and nothing came of it that matters.
 * `open`: the attack worked.
 */
export type Verdict = 'refused' | 'harmless' | 'open'

export interface Outcome {
  readonly verdict: Verdict
  /** What was seen, so that nobody has to believe the verdict. */
  readonly detail: string
}

export interface Finding extends Outcome {
  readonly id: string
  readonly trick: string
  /** What to do about it; only where something is open. */
  readonly remedy?: string
}

const order: readonly Verdict[] = ['refused', 'harmless', 'open']

/** A trick that can be done in several ways is as good as its best way. */
export function worst(outcomes: readonly Outcome[]): Outcome {
  const [first, ...rest] = outcomes
  if (first === undefined) throw new Error('A trick that was not tried has no outcome')
  return rest.reduce((a, b) => (order.indexOf(b.verdict) > order.indexOf(a.verdict) ? b : a), first)
}
