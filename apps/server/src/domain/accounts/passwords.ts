import { hash, verify } from '@node-rs/argon2'

// OWASP's floor for argon2id. About 15 ms of one core each, so no more than two are computed at a time per process:
// a flood of sign-ins then waits its turn instead of taking every thread of the pool from the rest.
const argon2id = 2
const parameters = { algorithm: argon2id, memoryCost: 19_456, timeCost: 2, parallelism: 1 }
const atOnce = 2

let running = 0
const waiting: (() => void)[] = []

async function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
  if (running >= atOnce) await new Promise<void>((resolve) => waiting.push(resolve))
  running++
  try {
    return await work()
  } finally {
    running--
    waiting.shift()?.()
  }
}

// Two ways to type one character give one password.
const normal = (password: string) => password.normalize('NFKC')

export const hashPassword = (password: string): Promise<string> => inTurn(() => hash(normal(password), parameters))

/** What a sign-in with an unknown email is checked against, so that it takes as long as any other. */
const nobody = hashPassword('a password that belongs to nobody')

export async function isPassword(password: string, passwordHash: string | undefined): Promise<boolean> {
  const known = passwordHash ?? (await nobody)
  const right = await inTurn(() => verify(known, normal(password)))
  return right && passwordHash !== undefined
}
