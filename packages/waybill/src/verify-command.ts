import { readFile } from 'node:fs/promises'
import { text as textOf } from 'node:stream/consumers'
import type { JSONWebKeySet } from 'jose'
import { checkSignature, readSigned } from '#signature'
import { type Finding, isDifference, verifyFolder } from '#verify-folder'
import { type Waybill, WaybillFault } from '#waybill'

/** What can be said about how the command was used, or about what it was given to read. */
export class Unjudgeable extends Error {
  override readonly name = 'Unjudgeable'
}

export interface VerifyWish {
  /** A file; `-` is standard input. */
  readonly waybill: string
  readonly folder: string
  /** Keys of the server: a file or an address. Without them the signature is not checked. */
  readonly keys?: string | undefined
  /** Whether good files are named too. */
  readonly all?: boolean | undefined
}

/**
 * Checks a folder against a waybill and says line by line what it finds. Answers whether all is as it was sent; throws
 * what `isUnjudgeable` knows where that cannot be said.
 */
export async function verifyAndTell(wish: VerifyWish, say: (line: string) => void): Promise<boolean> {
  const signed = readSigned(await (wish.waybill === '-' ? textOf(process.stdin) : readFile(wish.waybill, 'utf8')))
  if (wish.keys !== undefined) await checkSignature(signed, await keysFrom(wish.keys))
  introduce(signed.waybill, wish.keys !== undefined, say)
  return report(verifyFolder(signed.waybill, wish.folder), wish.all === true, say)
}

/** Whether an error tells of the waybill, the keys or the folder, and not of a fault of ours. */
export const isUnjudgeable = (error: Error): boolean =>
  error instanceof Unjudgeable || error instanceof WaybillFault || 'code' in error

function introduce({ package: pkg, issuer, verified }: Waybill, checked: boolean, say: (line: string) => void): void {
  say(`package    ${shown(pkg.name)} from ${shown(pkg.sender)}`)
  say(`signature  ${checked ? `good, issued by ${shown(issuer)}` : 'NOT CHECKED: no --keys were given'}`)
  if (!verified) say('note       the server had not read every file again when it signed this, or found one damaged')
}

async function report(findings: AsyncIterable<Finding>, all: boolean, say: (line: string) => void): Promise<boolean> {
  const counts = { good: 0, missing: 0, changed: 0, extra: 0, unproven: 0, withheld: 0 }
  let different = false
  for await (const finding of findings) {
    counts[finding.is] += 1
    different ||= isDifference(finding)
    if (finding.is === 'good' && !all) continue
    say(`${finding.is.padEnd(10)} ${shown(finding.path)}${finding.why === undefined ? '' : ` (${finding.why})`}`)
  }
  const told = Object.entries(counts).filter(([is, count]) => count > 0 || is === 'good')
  say(`${different ? 'DIFFERENT' : 'ALL GOOD'}: ${told.map(([is, count]) => `${count} ${is}`).join(', ')}`)
  return !different
}

/** Names come from strangers: what could move the cursor or turn the line around is shown by its number. */
const shown = (text: string): string =>
  JSON.stringify(text).replaceAll(
    /[\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

const longestKeys = 1 << 20

async function keysFrom(place: string): Promise<JSONWebKeySet> {
  const text = /^https?:/.test(place) ? await fetchedKeys(place) : await readFile(place, 'utf8')
  try {
    const keys = JSON.parse(text) as JSONWebKeySet
    if (Array.isArray(keys.keys)) return keys
  } catch {
    // Said below.
  }
  throw new Unjudgeable(`${place} holds no keys (JWKS).`)
}

async function fetchedKeys(url: string): Promise<string> {
  const reply = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(10_000) }).catch((cause: unknown) => {
    throw new Unjudgeable(`${url} does not answer. Save the keys to a file and name that.`, { cause })
  })
  const text = await reply.text()
  if (!reply.ok || text.length > longestKeys) throw new Unjudgeable(`${url} answered ${reply.status} instead of keys.`)
  return text
}
