/**
 * Refusals that the contract declares and nobody can meet yet, by endpoint and name, with what they wait for.
 * An entry that was met all the same is a mistake, and coverage.ts says so.
 */
export const later: Readonly<Record<string, string>> = {}
