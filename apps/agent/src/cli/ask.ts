import { Interrupted } from '#cli/trouble'

/*
 * Questions to a person. They are put on standard error: what a command answers goes to standard output alone.
 * The library is loaded when there is something to ask, and not at every start.
 */

const onStandardError = () => ({ output: process.stderr, withGuide: false })

async function answered<Answer>(asked: Promise<Answer>): Promise<Exclude<Answer, symbol>> {
  const answer = await asked
  if (typeof answer === 'symbol') throw new Interrupted('Nothing was done.')
  return answer as Exclude<Answer, symbol>
}

const notEmpty = (value: string | undefined) =>
  value === undefined || value === '' ? 'Please write something.' : undefined

export async function askText(message: string, placeholder = ''): Promise<string> {
  const { text } = await import('@clack/prompts')
  return answered(text({ message, placeholder, validate: notEmpty, ...onStandardError() }))
}

export async function askSecret(message: string): Promise<string> {
  const { password } = await import('@clack/prompts')
  return answered(password({ message, validate: notEmpty, ...onStandardError() }))
}

export async function askWhich(message: string, options: readonly { value: string; label: string }[]): Promise<string> {
  const { select } = await import('@clack/prompts')
  return answered(select({ message, options: [...options], ...onStandardError() }))
}

export async function askWhether(message: string): Promise<boolean> {
  const { confirm } = await import('@clack/prompts')
  return answered(confirm({ message, initialValue: false, ...onStandardError() }))
}
