import { AsyncLocalStorage } from 'node:async_hooks'
import { appendFileSync, mkdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { test as nodeTest, type TestContext } from 'node:test'
import { type Entry, recordFolder } from '#run-folder'

const file = basename(process.argv[1] ?? 'unknown')
const running = new AsyncLocalStorage<string>()
const entries = new Map<string, Entry>()

/** A test whose calls are recorded under its name. */
export function test(name: string, run: (t: TestContext) => Promise<void>): void {
  void nodeTest(name, (t) => running.run(name, () => run(t)))
}

/** Notes that the running test has shown this outcome of an endpoint. */
export function noteShown(endpoint: string, outcome: string): void {
  const name = running.getStore()
  if (name !== undefined) note({ shown: { endpoint, outcome, file, test: name } })
}

/** Notes what the server says it serves. */
export const noteServed = (served: readonly string[]): void => note({ served: served.toSorted() })

/** Notes how much of the matrix was gone through. */
export const noteCells = (endpoint: string, cells: number): void => note({ endpoint, cells })

const note = (entry: Entry) => void entries.set(JSON.stringify(entry), entry)

const secretFields = new Set([
  'token',
  'key',
  'access_token',
  'package_token',
  'secret',
  'secret_access_key',
  'session_token',
  'download_secret',
  'password',
  'access_code',
  'download_password',
  'current_password',
])

// Shorter ones are words that a log may well hold by itself.
const shortestSecret = 10

export function noteSecret(secret: string): void {
  if (secret.length < shortestSecret) return
  note({ secret })
  // Whoever has the last part of a token has what makes it one.
  const signature = /^[\w-]+\.[\w-]+\.([\w-]{20,})$/.exec(secret)?.[1]
  if (signature !== undefined) note({ secret: signature })
}

/** Every secret in a body, and the signature of every address that opens something. */
export function noteSecretsIn(value: unknown): void {
  if (typeof value === 'string') {
    const signature = /[?&]X-Amz-Signature=([0-9a-f]+)/.exec(value)?.[1]
    if (signature !== undefined) note({ secret: signature })
    const token = /\/v1\/archives\/[^?]+\?token=([\w.-]+)/.exec(value)?.[1]
    if (token !== undefined) noteSecret(token)
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, inner] of Object.entries(value)) {
      if (typeof inner === 'string' && secretFields.has(name)) noteSecret(inner)
      else noteSecretsIn(inner)
    }
  }
}

// Test files run as processes of their own; each leaves its record, and coverage.ts reads them all.
process.once('exit', () => {
  if (entries.size === 0) return
  mkdirSync(recordFolder, { recursive: true })
  const lines = [...entries.keys()].map((line) => `${line}\n`).join('')
  appendFileSync(join(recordFolder, `${file}-${process.pid}.jsonl`), lines, { mode: 0o600 })
})
