import { createTransport } from 'nodemailer'

export interface Mail {
  readonly from: string
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
}

export interface Mailer {
  send(mail: Mail): Promise<void>
  close(): void
}

/** Sends by SMTP. The address is the operator's: `smtp://user:password@host:port`. */
export function smtpMailer(url: string): Mailer {
  const transport = createTransport(url, {})
  return {
    async send(mail) {
      // Addresses go in as objects, so that nothing inside one can be read as a second recipient.
      await transport.sendMail({
        from: mail.from,
        to: { name: '', address: mail.to },
        subject: mail.subject,
        text: mail.text,
        html: mail.html,
        disableFileAccess: true,
        disableUrlAccess: true,
      })
    },
    close: () => transport.close(),
  }
}
