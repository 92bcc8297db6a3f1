import { crc32 } from 'node:zlib'
import { freeName } from '@longshore/zip/names'
import { fullPath } from '@longshore/contract/names'
import type { PackageFile } from '#store/files'

// A list for people. Whoever needs all of them asks for the file list.
const mostNamed = 1_000

const wantedName = 'NOT INCLUDED'
const likeOurs = /^not included/i

/** Nobody gets a virus from us, and a checksum that does not fit would make the whole archive look broken. */
export const isLeftOut = ({ virus_detected, damaged }: PackageFile): boolean => virus_detected || damaged

/** Files that an archive leaves out, and the note in it that says so. */
export interface LeftOut {
  note(file: PackageFile): void
  /** Told of every name, because the note must not take one of them. */
  hear(name: string): void
  /** The note, or undefined when there is nothing to say. */
  finish(): { readonly name: string; readonly text: Buffer; readonly crc32: number } | undefined
}

export function leftOut(): LeftOut {
  const named: string[] = []
  const similar = new Set<string>()
  let count = 0
  return {
    note(file) {
      count += 1
      const why = file.virus_detected ? 'a virus was found in it' : 'what is stored is not what was sent'
      if (named.length < mostNamed) named.push(`${fullPath(file)} (${why})`)
    },
    hear(name) {
      if (likeOurs.test(name)) similar.add(name.replace(/\/.*/s, '').toLowerCase())
    },
    finish() {
      if (count === 0) return undefined
      const more = count - named.length
      const lines = [
        'These files of the package are not in this archive:',
        '',
        ...named,
        ...(more > 0 ? [`and ${more} more`] : []),
        '',
      ]
      // Lines end as on Windows; every other system shows them just as well.
      const text = Buffer.from(lines.join('\r\n'))
      const name = freeName(wantedName, '.txt', (name) => similar.has(name.toLowerCase()))
      return { name, text, crc32: crc32(text) }
    },
  }
}
