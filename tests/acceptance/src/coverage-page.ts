import { type Endpoint, refusalsOf } from '@longshore/contract/endpoint'
import { statusOf } from '@longshore/contract/errors'
import { later } from '#later'
import type { Shown } from '#run-folder'

/** Something that can come of a call: its success, or one refusal. */
export interface Outcome {
  readonly key: string
  readonly label: string
}

export const outcomesOf = (name: string, endpoint: Endpoint): readonly Outcome[] => [
  { key: `${name} success`, label: `${endpoint.status}` },
  ...refusalsOf(endpoint)
    .toSorted((a, b) => statusOf(a) - statusOf(b) || compare(a, b))
    .map((refusal) => ({ key: `${name} ${refusal}`, label: `${statusOf(refusal)} ${refusal}` })),
]

export interface Findings {
  readonly endpoints: readonly (readonly [string, Endpoint])[]
  readonly served: ReadonlySet<string>
  readonly shown: ReadonlyMap<string, readonly Shown[]>
  readonly cells: number
}

/** COVERAGE.md. The same findings give the same page. */
export function coveragePage({ endpoints, served, shown, cells }: Findings): string {
  const outcomes = endpoints.filter(([name]) => served.has(name)).flatMap(([name, one]) => outcomesOf(name, one))
  const waiting = outcomes.filter(({ key }) => later[key] !== undefined).length
  const chapters = Map.groupBy(endpoints, ([, endpoint]) => endpoint.chapter)
  return [
    '# What the acceptance suite shows',
    '',
    'Written by `node tests/acceptance/src/coverage.ts` after a run of the suite, not by hand.',
    '',
    `${served.size} of ${endpoints.length} endpoints are served. Of their ${outcomes.length} outcomes (success, and every refusal that the contract declares)`,
    `${outcomes.length - waiting} are shown by a test and ${waiting} come later. The matrix checks ${cells} cells of endpoint and credential.`,
    ...[...chapters].flatMap(([chapter, members]) => [
      '',
      `## ${chapter}`,
      ...members.flatMap(([name, endpoint]) => section(name, endpoint, served.has(name), shown)),
    ]),
    '',
  ].join('\n')
}

function section(name: string, endpoint: Endpoint, isServed: boolean, shown: Findings['shown']): string[] {
  const { method, path, credential } = endpoint
  const head = ['', `### ${name}`, '', `\`${method} ${path}\`, credential: ${credential}.${isServed ? '' : ' Later.'}`]
  if (!isServed) return head
  const rows = outcomesOf(name, endpoint).map(({ key, label }) => `| ${label} | ${proof(key, shown.get(key) ?? [])} |`)
  return [...head, '', '| Outcome | Shown by |', '|---|---|', ...rows]
}

// Tests that go through all endpoints alike say less about one than those that are about it.
const general = ['matrix.test.ts', 'errors.test.ts', 'limits.test.ts']
const mostListed = 3

function proof(key: string, tests: readonly Shown[]): string {
  if (tests.length === 0) return later[key] ?? '**nothing**'
  const rank = ({ file }: Shown) => (general.includes(file) ? 1 : 0)
  const names = tests
    .toSorted((a, b) => rank(a) - rank(b) || compare(a.file, b.file) || compare(a.test, b.test))
    .map(({ file, test }) => `${file.replace('.test.ts', '')}: ${test.replaceAll('|', '\\|')}`)
  const more = names.length - mostListed
  return [...names.slice(0, mostListed), ...(more > 0 ? [`and ${more} more`] : [])].join('<br>')
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
