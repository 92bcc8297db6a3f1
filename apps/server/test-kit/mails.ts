import { testStack } from './stack.ts'

export interface CaughtMail {
  /** Everybody on the envelope: who would really have got it. */
  readonly to: readonly string[]
  readonly subject: string
  readonly text: string
  readonly html: string
  readonly headers: readonly { readonly key: string; readonly value: string }[]
}

/** What the mail catcher got for an address, oldest first. */
export async function mailsTo(address: string): Promise<CaughtMail[]> {
  const reply = await fetch(`${testStack().mail_url}/messages`)
  const mails = (await reply.json()) as CaughtMail[]
  return mails.filter((mail) => mail.to.some((to) => to.toLowerCase() === address.toLowerCase()))
}

export const headerOf = (mail: CaughtMail, key: string): string | undefined => {
  const found = mail.headers.filter((header) => header.key === key)
  if (found.length > 1) throw new Error(`The mail has ${found.length} headers '${key}'.`)
  return found[0]?.value
}
