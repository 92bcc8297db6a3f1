import { Email } from '@longshore/contract/shapes'
import { createTransport } from 'nodemailer'
import { Compile } from 'typebox/compile'
import type { Brand } from './mail-templates/brand.ts'
import { cleanLine } from './mail-templates/clean.ts'
import { type Facts, render, type TemplateName } from './mail-templates/render.ts'

/** One mail to one person. Every string but `about` may have been typed by anybody. */
export type Mail = { [Name in TemplateName]: MailOf<Name> }[TemplateName]

export interface MailOf<Name extends TemplateName> {
  readonly template: Name
  /** Identifier of what it tells of. With the template it makes the Message-ID, so every try of one mail has the same. */
  readonly about: string
  readonly to: string
  readonly subject: string
  readonly facts: Facts[Name]
  /** Shown before the operator's name: "Olga via Longshore". The address is always the operator's. */
  readonly from?: string
  readonly replyTo?: string
  readonly brand?: Brand
}

export interface Mailer {
  /** Throws `AddressRefused` where another try is useless; everything else may pass. */
  send(mail: Mail): Promise<void>
  close(): void
}

/** Nobody gets mail at this address: it is none, or its server says so. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused'
}

export interface Sender {
  readonly name: string
  readonly address: string
}

const address = Compile(Email)
const isAddress = (text: string) => address.Check(text)

/** Reads `Name <address>` or a bare address, as the operator writes it. */
export function parseSender(text: string): Sender {
  const { name, address } = /^(?<name>[^<>]*)<(?<address>[^<>]+)>$/.exec(text.trim())?.groups ?? {}
  const sender = { name: cleanLine(name ?? '').replaceAll('"', ''), address: (address ?? text).trim() }
  if (!isAddress(sender.address)) throw new Error(`LONGSHORE_MAIL_FROM must read Name <address>, not '${text}'.`)
  return sender
}

const longestSubject = 200
const longestName = 60

// A server that says nothing for so long is away; the mail is tried again later.
const timeouts = { dnsTimeout: 10_000, connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 30_000 }

/** Sends by SMTP. The server is the operator's: `smtp://user:password@host:port`. */
export function smtpMailer(url: string, sender: Sender): Mailer {
  // One connection a mail. A pool sends a mail again by itself when a connection breaks, even if it had arrived.
  const transport = createTransport({ url, ...timeouts })
  const domain = sender.address.slice(sender.address.lastIndexOf('@') + 1)
  return {
    async send(mail) {
      if (!isAddress(mail.to)) throw new AddressRefused(`'${cleanLine(mail.to, 100)}' is no plain email address.`)
      const subject = headerLine(mail.subject, longestSubject)
      const { html, text } = render(mail.template, { ...mail, subject })
      try {
        await transport.sendMail({
          messageId: `<${mail.template}.${mail.about}@${domain}>`,
          from: { name: senderName(mail.from, sender.name), address: sender.address },
          // Addresses go in as objects, so that nothing inside one can be read as a second recipient.
          to: { name: '', address: mail.to },
          ...(mail.replyTo !== undefined && isAddress(mail.replyTo)
            ? { replyTo: { name: '', address: mail.replyTo } }
            : {}),
          subject,
          text,
          html,
          // No machine shall answer: neither a vacation notice nor another server like this one.
          headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
          disableFileAccess: true,
          disableUrlAccess: true,
        })
      } catch (error) {
        throw isBadAddress(error) ? new AddressRefused('The mail server refuses the address.', { cause: error }) : error
      }
    },
    close: () => transport.close(),
  }
}

/** Plain ASCII is sent as it is; an encoded word in it would be decoded by the reader, to line breaks if it likes. */
const headerLine = (text: string, longest: number): string => cleanLine(text.replaceAll('=?', '= ?'), longest)

/** Without what could make a name look like an address, or like more than one. */
function senderName(who: string | undefined, operator: string): string {
  const name = headerLine((who ?? '').replaceAll(/["'<>@,;:()[\]\\]/g, ' '), longestName)
  if (name === '') return operator
  return operator === '' ? name : `${name} via ${operator}`
}

/**
 * Whether the answer says that there is no such address (5.1.x). Any other refusal may be the operator's to mend, a
 * relay that is not allowed yet or a full disk, and is worth another try.
 */
function isBadAddress(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { command, response } = error as Error & { command?: unknown; response?: unknown }
  return command === 'RCPT TO' && typeof response === 'string' && /^55\d[ -]5\.1\.\d/.test(response)
}
