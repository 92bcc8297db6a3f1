import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Unpacked, unpackByAll } from '@longshore/stack/unpackers'

/** What each program that people have makes of an archive. */
export async function unpacked(archive: Uint8Array): Promise<readonly Unpacked[]> {
  const folder = await mkdtemp(join(tmpdir(), 'longshore-unpack-'))
  try {
    const file = join(folder, 'archive.zip')
    await writeFile(file, archive)
    return await Array.fromAsync(unpackByAll(file, folder))
  } finally {
    await rm(folder, { recursive: true })
  }
}
