import { setTimeout as sleep } from 'node:timers/promises'

interface Message {
  readonly to: readonly string[]
  readonly text: string
}

/** The address in the mail to somebody, once it has come. */
export async function mailedAddress(mailUrl: string, to: string): Promise<string> {
  const deadline = Date.now() + 30_000
  while (Date.now() < deadline) {
    const messages = (await (await fetch(`${mailUrl}/messages`)).json()) as Message[]
    const address = messages.find((message) => message.to.includes(to))?.text.match(/https?:\S+/)?.[0]
    if (address !== undefined) return address
    await sleep(200)
  }
  throw new Error(`No mail came to ${to}.`)
}
