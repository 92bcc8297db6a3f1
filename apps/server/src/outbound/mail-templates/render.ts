import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import handlebars from 'handlebars'
import { type Brand, safeBrand } from './brand.ts'
import { cleanDeep, cleanLine } from './clean.ts'

interface FileFact {
  readonly name: string
  readonly size: string
}

/** What every mail about a package tells of it. */
interface PackageFacts {
  readonly packageName: string
  /** "1 file" or "12 files". */
  readonly count: string
  readonly size: string
  readonly files: readonly FileFact[]
  /** How many are not in `files`; empty when they all are. */
  readonly moreFiles: string
}

interface DownloadFacts extends PackageFacts {
  readonly senderEmail: string
  /** Line by line. */
  readonly message: readonly string[]
  readonly url: string
  /** Empty: without end. */
  readonly expiry: string
  readonly hasPassword: boolean
}

/** What each template needs to know. Everything in here may be typed by anybody. */
export interface Facts {
  'recipient-link': DownloadFacts & { readonly sender: string }
  'upload-notice': DownloadFacts & {
    readonly portalName: string
    readonly teamName: string
    readonly answers: readonly { readonly label: string; readonly value: readonly string[] }[]
  }
  'upload-receipt': PackageFacts & { readonly portalName: string; readonly teamName: string }
  'file-incident': {
    readonly packageName: string
    readonly infected: readonly FileFact[]
    readonly damaged: readonly FileFact[]
  }
  invitation: {
    readonly inviter: string
    readonly teamName: string
    readonly url: string
    readonly expiry: string
  }
  'email-confirmation': { readonly url: string; readonly hours: number }
}

export type TemplateName = keyof Facts

const names: readonly TemplateName[] = [
  'recipient-link',
  'upload-notice',
  'upload-receipt',
  'file-incident',
  'invitation',
  'email-confirmation',
]

// Strict: a fact that is missing is an error here and not a hole in somebody's mail. Only the built-in helpers are
// known, so that no value can name one of another library.
const strictly = { strict: true, knownHelpersOnly: true } as const

const read = (file: string) => readFileSync(join(import.meta.dirname, file), 'utf8')

const templates = new Map(
  names.map((name) => [
    name,
    {
      html: handlebars.compile(read(`compiled/${name}.html`), strictly),
      // Text has nothing to escape: a name with an ampersand must not arrive as `&amp;`.
      text: handlebars.compile(read(`${name}.txt`), { ...strictly, noEscape: true }),
    },
  ]),
)

export interface Rendered {
  readonly html: string
  readonly text: string
}

/** Both parts of a mail. What comes in is made harmless here, once, whoever typed it. */
export function render<Name extends TemplateName>(
  name: Name,
  mail: { readonly to: string; readonly subject: string; readonly facts: Facts[Name]; readonly brand?: Brand },
): Rendered {
  const template = templates.get(name)
  if (template === undefined) throw new Error(`There is no mail template '${name}'.`)
  const facts = {
    ...(cleanDeep(mail.facts) as object),
    to: mail.to,
    subject: cleanLine(mail.subject),
    brand: safeBrand(mail.brand),
  }
  return { html: template.html(facts), text: template.text(facts) }
}
