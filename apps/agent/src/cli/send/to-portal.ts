import { ApiError } from '@longshore/client/client'
import { startPortalUpload } from '@longshore/contract/agent/uploads'
import type { Agent } from '#cli/agent/connection'
import { askSecret, askText } from '#cli/ask'
import { Misuse } from '#cli/misuse'
import { secretFrom } from '#cli/secrets'
import { type SentOptions, sentBody } from '#cli/send/sent'
import type { Shell } from '#cli/shell'
import { harmless } from '#cli/terminal/text'
import { Trouble } from '#cli/trouble'

export interface PortalOptions {
  readonly portal?: string
  readonly from?: string
  readonly accessCode?: boolean
  readonly accessCodeFile?: string
  /** `NAME=VALUE`, answers to the form of the Portal. */
  readonly field?: readonly string[]
}

/** Starts an upload to a Portal. What it turns out to need is asked for where there is somebody to ask. */
export async function sendToPortal(
  shell: Shell,
  agent: Agent,
  paths: readonly string[],
  options: PortalOptions & SentOptions & { readonly portal: string },
) {
  const subdomain = subdomainOf(options.portal)
  // Without answers the agent does not look for a form; an empty set of them is tried where there turns out to be one.
  let metadata = options.field === undefined ? undefined : fieldsFrom(options.field)
  const sender_email = options.from ?? (await askSender(shell))
  const question = `Access code of the Portal ${subdomain}`
  let access_code = await secretFrom(shell, { file: options.accessCodeFile, ask: options.accessCode }, question)
  while (true) {
    try {
      return await agent.call(startPortalUpload, {
        body: {
          subdomain,
          sender_email,
          ...sentBody(paths, options),
          ...(access_code === undefined ? {} : { access_code }),
          ...(metadata === undefined ? {} : { metadata }),
        },
      })
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      if (error.error === 'access_code_wrong') {
        if (access_code !== undefined || !shell.interactive) throw wrongCode(subdomain, access_code, error)
        access_code = await askSecret(question)
      } else if (error.error === 'form_field_required') {
        metadata = metadata === undefined ? {} : { ...metadata, ...(await askFields(shell, error, metadata)) }
      } else throw error
    }
  }
}

function wrongCode(subdomain: string, given: string | undefined, cause: ApiError): Trouble {
  if (given !== undefined) return new Trouble(`That is not the access code of the Portal ${subdomain}.`, { cause })
  const hint = 'Add --access-code to be asked for it, or --access-code-file FILE.'
  return new Trouble(`The Portal ${subdomain} has an access code.`, { hint, cause })
}

/** The name of a Portal, also out of its address: `https://dailies.example.com` or `https://example.com/p/dailies`. */
export function subdomainOf(portal: string): string {
  if (!portal.includes('://')) return portal
  if (!URL.canParse(portal)) throw new Misuse(`'${portal}' is no address of a Portal.`)
  const { hostname, pathname } = new URL(portal)
  return pathname.split('/').findLast((part) => part !== '') ?? hostname.split('.')[0] ?? portal
}

function fieldsFrom(pairs: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=')
      if (at < 1) throw new Misuse(`'${pair}' is no field. Write it like --field project=Harbour.`)
      return [pair.slice(0, at), pair.slice(at + 1)]
    }),
  )
}

async function askSender(shell: Shell): Promise<string> {
  if (!shell.interactive) throw new Misuse('A Portal wants to know who sends: --from you@example.com.')
  return askText('Your email address')
}

/** Answers to the fields that the Portal misses. */
async function askFields(
  shell: Shell,
  refused: ApiError,
  known: Readonly<Record<string, string>>,
): Promise<Record<string, string>> {
  const missing = refused.details.map(({ field }) => field)
  // What was answered and is refused all the same would be asked for again and again.
  if (missing.length === 0 || missing.some((name) => known[name] !== undefined)) throw refused
  if (!shell.interactive) {
    const options = missing.map((name) => `--field ${harmless(name)}=…`).join(' ')
    throw new Misuse(`The form of the Portal wants more: ${options}`)
  }
  const answers: Record<string, string> = {}
  for (const name of missing) answers[name] = await askText(harmless(name))
  return answers
}
