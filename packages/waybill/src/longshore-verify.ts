#!/usr/bin/env node
import { parseArgs } from 'node:util'
import { isUnjudgeable, Unjudgeable, verifyAndTell } from '#verify-command'

const help = `longshore-verify WAYBILL FOLDER [--keys FILE|URL] [--all]

Checks that a folder holds what a waybill says: every file, with its bytes, and nothing else.

  WAYBILL        the waybill as the server gave it; - reads it from standard input
  FOLDER         where the package was downloaded to
  --keys         the public keys (JWKS) of the server: a file, or https://SERVER/v1/system/keys
                 without it, the signature of the waybill is not checked
  --all          name the good files too

Ends with 0 when all is as it was sent, 1 when something differs, 2 when it could not be judged.
`

async function main(): Promise<0 | 1> {
  const { values, positionals } = readCommandLine()
  const [waybill, folder] = positionals
  if (values.help === true) {
    process.stdout.write(help)
    return 0
  }
  if (waybill === undefined || folder === undefined || positionals.length > 2) throw new Unjudgeable(help)
  const { keys, all } = values
  return (await verifyAndTell({ waybill, folder, keys, all }, (line) => void process.stdout.write(`${line}\n`))) ? 0 : 1
}

function readCommandLine() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: { keys: { type: 'string' }, all: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
    })
  } catch (error) {
    throw new Unjudgeable(`${(error as Error).message}\n\n${help}`)
  }
}

try {
  process.exitCode = await main()
} catch (error) {
  if (!(error instanceof Error)) throw error
  process.stderr.write(`${isUnjudgeable(error) ? error.message : error.stack}\n`)
  process.exitCode = 2
}
