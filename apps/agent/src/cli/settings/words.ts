import { Misuse } from '#cli/misuse'
import type { Shell } from '#cli/shell'

export function isOn(word: string): boolean {
  if (word !== 'on' && word !== 'off') throw new Misuse(`'${word}' is neither on nor off.`)
  return word === 'on'
}

/** A setting as it is now. */
export const tell = (shell: Shell, value: unknown, words: string): void =>
  shell.print(shell.json ? JSON.stringify(value) : words)
