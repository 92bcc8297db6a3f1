import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** What the processes of one run leave for each other; the runner puts the server's logs there too. */
export const runFolder = join(process.env['LONGSHORE_TEST_FOLDER'] ?? tmpdir(), 'acceptance')

export const recordFolder = join(runFolder, 'record')

/** What a test has shown of an endpoint: that it works (`success`), or one of its refusals. */
export interface Shown {
  readonly endpoint: string
  readonly outcome: string
  readonly file: string
  readonly test: string
}

/** One line of a record. */
export type Entry =
  | { readonly shown: Shown }
  | { readonly secret: string }
  | { readonly served: readonly string[] }
  | { readonly cells: number; readonly endpoint: string }
