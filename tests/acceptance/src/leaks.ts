import { readFileSync } from 'node:fs'
import { basename } from 'node:path'

const width = 10

/** Every secret that stands in one of the files, by the file it stands in. Secrets are at least ten characters long. */
export function findLeaks(files: readonly string[], secrets: ReadonlySet<string>): readonly string[] {
  const byStart = Map.groupBy(secrets, (secret) => secret.slice(0, width))
  return files.flatMap((file) => {
    const text = readFileSync(file, 'utf8')
    const found = new Set<string>()
    for (let at = 0; at + width <= text.length; at += 1) {
      for (const secret of byStart.get(text.slice(at, at + width)) ?? []) {
        if (text.startsWith(secret, at)) found.add(secret)
      }
    }
    return [...found].map((secret) => `${basename(file)} holds ${secret.slice(0, 6)}… (${secret.length} characters)`)
  })
}
