import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { dropDatabase } from '@longshore/stack/longshore/database'
import { type Instance, startInstance } from '@longshore/stack/longshore/instance'
import type { Stack } from '@longshore/stack/stack'

export interface OwnInstance extends Instance {
  readonly stack: Stack
  /** Where the tests may leave files for people to look at. */
  readonly folder: string
}

/** The stack that `npm test` started. */
export async function theStack(): Promise<Stack> {
  const file = process.env['LONGSHORE_STACK']
  if (file === undefined) throw new Error('LONGSHORE_STACK names no stack. Run these tests by: npm test -- browser')
  return JSON.parse(await readFile(file, 'utf8')) as Stack
}

const testFolder = (): string => process.env['LONGSHORE_TEST_FOLDER'] ?? tmpdir()

/** A server of its own, with an empty database. `stop` takes the database away again. */
export async function startOwnInstance(
  name: string,
  portOffset: number,
  extra: Readonly<Record<string, string>> = {},
): Promise<OwnInstance> {
  const stack = await theStack()
  const folder = join(testFolder(), name)
  const database = name.replaceAll('-', '_')
  // What a killed run left behind.
  await dropDatabase(stack, database)
  const instance = await startInstance(stack, {
    name,
    port: stack.port_base + portOffset,
    folder,
    // Attacks on the store are tried by every other group; pages have nothing to do with them. Calls and
    // guesses are counted by address, and all browsers of a run have the same.
    extra: {
      LONGSHORE_STORAGE_SELF_TEST: 'off',
      LONGSHORE_CALLS_PER_MINUTE: '0',
      LONGSHORE_GUESSES_PER_MINUTE: '1000',
      ...extra,
    },
  })
  return {
    ...instance,
    stack,
    folder,
    async stop() {
      await instance.stop()
      await dropDatabase(stack, database)
    },
  }
}
