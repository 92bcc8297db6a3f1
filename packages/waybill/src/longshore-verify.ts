#!/usr/bin/env node
import { readFile } from 'node:fs/promises'
import { text as textOf } from 'node:stream/consumers'
import { parseArgs } from 'node:util'
import type { JSONWebKeySet } from 'jose'
import { checkSignature, readSigned } from '#signature'
import { type Finding, isDifference, verifyFolder } from '#verify-folder'
import { type Waybill, WaybillFault } from '#waybill'

const help = `longshore-verify WAYBILL FOLDER [--keys FILE|URL] [--all]

Checks that a folder holds what a waybill says: every file, with its bytes, and nothing else.

  WAYBILL        the waybill as the server gave it; - reads it from standard input
  FOLDER         where the package was downloaded to
  --keys         the public keys (JWKS) of the server: a file, or https://SERVER/v1/system/keys
                 without it, the signature of the waybill is not checked
  --all          name the good files too

Ends with 0 when all is as it was sent, 1 when something differs, 2 when it could not be judged.
`

class Misuse extends Error {}

async function main(): Promise<0 | 1> {
  const { values, positionals } = readCommandLine()
  const [from, folder] = positionals
  if (values.help === true) {
    process.stdout.write(help)
    return 0
  }
  if (from === undefined || folder === undefined || positionals.length > 2) throw new Misuse(help)
  const signed = readSigned(await (from === '-' ? textOf(process.stdin) : readFile(from, 'utf8')))
  if (values.keys !== undefined) await checkSignature(signed, await keysFrom(values.keys))
  introduce(signed.waybill, values.keys !== undefined)
  return report(verifyFolder(signed.waybill, folder), values.all === true)
}

function introduce({ package: pkg, issuer, verified }: Waybill, checked: boolean): void {
  say(`package    ${shown(pkg.name)} from ${shown(pkg.sender)}`)
  say(`signature  ${checked ? `good, issued by ${shown(issuer)}` : 'NOT CHECKED: no --keys were given'}`)
  if (!verified) say('note       the server had not read every file again when it signed this, or found one damaged')
}

async function report(findings: AsyncIterable<Finding>, all: boolean): Promise<0 | 1> {
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
  return different ? 1 : 0
}

const say = (line: string) => process.stdout.write(`${line}\n`)

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
  throw new Misuse(`${place} holds no keys (JWKS).`)
}

async function fetchedKeys(url: string): Promise<string> {
  const reply = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(10_000) }).catch((cause: unknown) => {
    throw new Misuse(`${url} does not answer. Save the keys to a file and name that.`, { cause })
  })
  const text = await reply.text()
  if (!reply.ok || text.length > longestKeys) throw new Misuse(`${url} answered ${reply.status} instead of keys.`)
  return text
}

function readCommandLine() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: { keys: { type: 'string' }, all: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
    })
  } catch (error) {
    throw new Misuse(`${(error as Error).message}\n\n${help}`)
  }
}

try {
  process.exitCode = await main()
} catch (error) {
  if (!(error instanceof Error)) throw error
  const known = error instanceof Misuse || error instanceof WaybillFault || 'code' in error
  process.stderr.write(`${known ? error.message : error.stack}\n`)
  process.exitCode = 2
}
