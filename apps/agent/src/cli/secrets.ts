import { readFile } from 'node:fs/promises'
import { text as textOf } from 'node:stream/consumers'
import { askSecret } from '#cli/ask'
import { Misuse } from '#cli/misuse'
import type { Shell } from '#cli/shell'

/** How a secret was offered. Never as an argument: those are seen by everybody on the machine, and kept in histories. */
export interface SecretSource {
  /** A file with the secret on its first line; `-` is standard input. */
  readonly file?: string | undefined
  /** Whether to ask for it. */
  readonly ask?: boolean | undefined
}

/** The secret, or nothing where none was offered. */
export async function secretFrom(
  shell: Shell,
  { file, ask }: SecretSource,
  question: string,
): Promise<string | undefined> {
  if (file !== undefined) return readSecret(file)
  if (ask !== true) return undefined
  if (!shell.interactive)
    throw new Misuse(`${question} cannot be asked for without a terminal. Name a file in its place.`)
  return askSecret(question)
}

export async function readSecret(file: string): Promise<string> {
  const text = await (file === '-' ? textOf(process.stdin) : readFile(file, 'utf8')).catch((cause: unknown) => {
    throw new Misuse(`${file} cannot be read: ${(cause as Error).message}`, { cause })
  })
  const secret = text.split(/\r?\n/, 1)[0] ?? ''
  if (secret === '') throw new Misuse(`${file === '-' ? 'Standard input' : file} has nothing on its first line.`)
  return secret
}
