import { setTimeout as sleep } from 'node:timers/promises'
import { target } from '#target'

export interface Mail {
  readonly from: string
  readonly to: readonly string[]
  readonly subject: string
  readonly text: string
  readonly html: string
}

export async function mailTo(address: string): Promise<readonly Mail[]> {
  const reply = await fetch(`${target.mail_url}/messages`)
  const mails = (await reply.json()) as Mail[]
  return mails.filter((mail) => mail.to.includes(address))
}

/** Waits for so many mails to an address: the worker sends them after the calls have answered. */
export async function mailsTo(address: string, count: number, seconds = 60): Promise<readonly Mail[]> {
  const deadline = Date.now() + seconds * 1000
  while (Date.now() < deadline) {
    const mails = await mailTo(address)
    if (mails.length >= count) return mails
    await sleep(100)
  }
  throw new Error(`No ${count} mail(s) came to ${address} in ${seconds} s.`)
}
