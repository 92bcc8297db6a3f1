import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Metafile } from 'esbuild'

interface Library {
  readonly name: string
  readonly version: string
  readonly license?: string
}

/** The licences of all libraries whose code is in a bundle: most of them ask for no more than to be passed on. */
export function noticesOf(metafile: Metafile, from: string): string {
  const folders = new Set(Object.keys(metafile.inputs).flatMap((input) => libraryFolder(join(from, input)) ?? []))
  const notices = [...folders].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Library
    const file = readdirSync(folder).find((one) => /^licen[cs]e/i.test(one))
    const text = file === undefined ? `Licence: ${license}` : readFileSync(join(folder, file), 'utf8').trim()
    return `${name} ${version}\n\n${text}\n`
  })
  return `Longshore contains these libraries.\n\n${notices.join(`\n${'-'.repeat(72)}\n\n`)}`
}

/** The folder of the library that a file belongs to; none where the file is ours. */
function libraryFolder(file: string): string | undefined {
  if (!file.includes('/node_modules/')) return undefined
  let folder = dirname(file)
  // Some libraries have further package.json files inside, which name nothing.
  while (!isLibrary(folder)) folder = dirname(folder)
  return folder
}

const isLibrary = (folder: string): boolean =>
  existsSync(join(folder, 'package.json')) && /node_modules\/(@[^/]+\/)?[^/]+$/.test(folder)
