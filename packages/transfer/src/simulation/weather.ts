/** How often something goes wrong, as a share of the requests. */
export interface Weather {
  readonly latencyMs: number
  /** Of one connection. */
  readonly bytesPerSecond: number
  readonly unavailable: number
  readonly resetBefore: number
  readonly resetInBody: number
  readonly lostReply: number
  readonly stall: number
  readonly slowBody: number
  readonly noEtag: number
  /** A byte that arrives as another one. */
  readonly bitFlip: number
  readonly addressLifeMs: number
}

export const calm: Weather = {
  latencyMs: 20,
  bytesPerSecond: 2_000,
  unavailable: 0,
  resetBefore: 0,
  resetInBody: 0,
  lostReply: 0,
  stall: 0,
  slowBody: 0,
  noEtag: 0,
  bitFlip: 0,
  addressLifeMs: 3_600_000,
}
