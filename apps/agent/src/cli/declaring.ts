import { type Command, InvalidArgumentError } from 'commander'
import { type Shell, thisShell, type Wishes } from '#cli/shell'

/**
 * What every command is given: its shell, its options, its arguments. The declaration beside it says what those are.
 * Commands are loaded when they are called, so that help and completion answer at once.
 */
export function doing(act: (shell: Shell, options: never, args: never) => Promise<void>) {
  return async (...given: unknown[]) => {
    const command = given.at(-1) as Command
    const options = command.optsWithGlobals<Wishes>()
    await act(thisShell(options), options as never, given.slice(0, -2) as never)
  }
}

export const wholeNumber = (least: number) => (text: string) => {
  const number = Number(text)
  if (!Number.isSafeInteger(number) || number < least)
    throw new InvalidArgumentError(`It is a whole number from ${least}.`)
  return number
}

/** For options that may be given several times, or with commas in between. */
export const collected = (text: string, before: readonly string[] = []): readonly string[] => [
  ...before,
  ...text.split(',').map((part) => part.trim()),
]

export const repeated = (text: string, before: readonly string[] = []): readonly string[] => [...before, text]

export const examples = (...lines: readonly string[]): string =>
  `\nExamples:\n${lines.map((line) => `  $ ${line}`).join('\n')}\n`
