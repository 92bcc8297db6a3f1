/**
 * Merges what the tests of a run have recorded: writes COVERAGE.md, or with --check compares it. Fails when a served
 * endpoint was never seen to work, a declared refusal was never met, or a secret of the run stands in a log.
 */
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { allEndpoints } from '#all-endpoints'
import { coveragePage, outcomesOf } from '#coverage-page'
import { later } from '#later'
import { findLeaks } from '#leaks'
import { type Entry, recordFolder, runFolder } from '#run-folder'

const checking = process.argv.includes('--check')
const document = fileURLToPath(new URL('../COVERAGE.md', import.meta.url))

// A test file that ran twice left two records of the same.
const lines = new Set(globSync(join(recordFolder, '*.jsonl')).flatMap((file) => readFileSync(file, 'utf8').split('\n')))
const entries = [...lines].filter((line) => line !== '').map((line) => JSON.parse(line) as Entry)
if (entries.length === 0) {
  console.error(`There is no record in ${recordFolder}. Run the suite first, with the same LONGSHORE_TEST_FOLDER.`)
  process.exit(2)
}

const endpoints = allEndpoints
const served = new Set(entries.flatMap((entry) => ('served' in entry ? entry.served : [])))
const secrets = new Set(entries.flatMap((entry) => ('secret' in entry ? [entry.secret] : [])))
const cells = entries.reduce((sum, entry) => sum + ('cells' in entry ? entry.cells : 0), 0)
const shown = Map.groupBy(
  entries.flatMap((entry) => ('shown' in entry ? [entry.shown] : [])),
  ({ endpoint, outcome }) => `${endpoint} ${outcome}`,
)

const keys = endpoints
  .filter(([name]) => served.has(name))
  .flatMap(([name, endpoint]) => outcomesOf(name, endpoint).map(({ key }) => key))
const missing = keys.filter((key) => !shown.has(key) && later[key] === undefined)
const surplus = Object.keys(later).filter((key) => shown.has(key) || !keys.includes(key))
const logs = globSync(join(runFolder, '*.log'))
const leaks = findLeaks(logs, secrets)
const page = coveragePage({ endpoints, served, shown, cells })
const stale = checking && (!existsSync(document) || readFileSync(document, 'utf8') !== page)
if (!checking) writeFileSync(document, page)

const complaints = [
  ...missing.map((key) => `Not shown by any test: ${key}`),
  ...surplus.map((key) => `Shown, or declared no more, but still in later.ts: ${key}`),
  ...leaks.map((leak) => `A secret in a log: ${leak}`),
  ...(logs.length === 0 ? [`There are no logs in ${runFolder} to search for secrets.`] : []),
  ...(stale ? ['COVERAGE.md is not what this run shows. Write it by the same command without --check.'] : []),
]
for (const complaint of complaints) console.error(complaint)
const waiting = keys.filter((key) => later[key] !== undefined).length
console.log(
  `coverage: ${served.size} of ${endpoints.length} endpoints served; ${keys.length - waiting - missing.length} of ` +
    `${keys.length} outcomes shown, ${waiting} later, ${missing.length} missing; ${cells} cells of the matrix; ` +
    `${leaks.length} of ${secrets.size} secrets in ${logs.length} logs`,
)
process.exitCode = complaints.length > 0 ? 1 : 0
