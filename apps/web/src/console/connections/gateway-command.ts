import type { Connection, Direction } from './queries.ts'

const permissions: Readonly<Record<Direction, string>> = { import: 'r', export: 'w', both: 'rw' }
const plain = /^[\w./:-]+$/

// Between single quotes a shell takes everything as it is, but for the quote itself.
const quoted = (word: string) => (plain.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)

/** What is typed on the machine that has the folder. The secret is asked for: a command line is no place for it. */
export const gatewayCommand = ({ id, name, direction }: Connection, root: string): string =>
  `longshore gateway add ${quoted(root)} --id ${id} --name ${quoted(name)} --permissions ${permissions[direction]}`

/** The same where the folder is connected already, and the secret is another by now. */
export const newSecretCommand = ({ id }: Connection): string => `longshore gateway set ${id} --secret`
