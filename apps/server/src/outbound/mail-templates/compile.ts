/**
 * Makes the HTML of every mail from its MJML: `node apps/server/src/outbound/mail-templates/compile.ts`.
 *
 * For developers only. MJML brings two hundred packages and takes half a second to load, so the server never sees it:
 * what it makes is committed, and a test holds the two together.
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import mjml from 'mjml'

const folder = import.meta.dirname

export const mjmlSources = (): string[] =>
  globSync('*.mjml', { cwd: folder })
    .map((file) => basename(file, '.mjml'))
    .toSorted()

export const compiledPath = (name: string): string => join(folder, 'compiled', `${name}.html`)

// MJML takes real colours only. These two stand for the brand's and are used for nothing else.
const brandColors = { '#1f5eff': '{{brand.color}}', '#fefefe': '{{brand.textOnColor}}' } as const

export async function compile(name: string): Promise<string> {
  const frame = readFileSync(join(folder, 'layout/frame.mjml'), 'utf8')
  const content = readFileSync(join(folder, `${name}.mjml`), 'utf8')
  const source = frame.replace('<!-- content -->', () => content)
  const { html } = await mjml(source, {
    filePath: join(folder, `${name}.mjml`),
    ignoreIncludes: false,
    validationLevel: 'strict',
    // By default it has fonts fetched from Google, which then knows who opened the mail.
    fonts: {},
  })
  const branded = Object.entries(brandColors).reduce((text, [color, value]) => text.replaceAll(color, value), html)
  // MJML indents as it pleases; none of it matters, and a mail that is cut at 102 kB by the reader's client does.
  return `${branded.replaceAll(/^\s+/gm, '').replaceAll(/[ \t]+$/gm, '')}\n`.replaceAll(/\n+/g, '\n')
}

if (import.meta.main) {
  for (const name of mjmlSources()) writeFileSync(compiledPath(name), await compile(name))
}
