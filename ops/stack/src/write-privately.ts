import { open, rename } from 'node:fs/promises'

/** Writes a file that only its owner may read. A reader finds the old content or the new, never half of it. */
export async function writePrivately(file: string, content: string): Promise<void> {
  const draft = `${file}.new`
  const handle = await open(draft, 'w', 0o600)
  try {
    await handle.chmod(0o600)
    await handle.writeFile(content)
    await handle.sync()
  } finally {
    await handle.close()
  }
  await rename(draft, file)
}
