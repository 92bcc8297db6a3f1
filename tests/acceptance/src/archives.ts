import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { addFiles, fileUrl, finalizeFiles, listFiles } from '@longshore/contract/cloud/files'
import { type How, use } from '#calls'
import { store } from '#storage'
import { inPackage, lastModified, managing, type Package } from '#walk'

export type ArchiveKind = 'zip_windows' | 'zip_mac'

/** Uploads small files by the batch calls, with the checksums that let an archive begin at once. */
export async function uploadChecked(
  pkg: Package,
  files: Readonly<Record<string, Buffer>>,
  how: How = {},
): Promise<void> {
  const asManager = { ...managing(pkg), ...how }
  const entries = Object.entries(files)
  const wanted = entries.map(([full, bytes]) => {
    const at = full.lastIndexOf('/')
    const place = { path: full.slice(0, Math.max(0, at)), name: full.slice(at + 1) }
    return { kind: 'file' as const, ...place, size: bytes.length, last_modified: lastModified }
  })
  const added = await use(addFiles, { params: inPackage(pkg), body: { files: wanted } }, asManager)
  const claims = []
  for (const [index, { file, put_blueprint }] of added.files.entries()) {
    const bytes = entries[index]?.[1] ?? Buffer.alloc(0)
    await store(put_blueprint, bytes)
    const checksums = {
      crc32: crc32(bytes).toString(16).padStart(8, '0'),
      sha256: createHash('sha256').update(bytes).digest('hex'),
    }
    claims.push({ file_id: file.id, size: bytes.length, checksums })
  }
  const { results } = await use(finalizeFiles, { params: inPackage(pkg), body: { files: claims } }, asManager)
  for (const { status, message } of results) assert.equal(status, 204, message)
}

export async function archiveOf(pkg: { readonly id: string }, kind: ArchiveKind, how: How) {
  const listed = await use(listFiles, { params: inPackage(pkg) }, how)
  const archive = listed.find((file) => file.kind === kind)
  assert.ok(archive !== undefined, `there is no ${kind} in the list`)
  return archive
}

/** The address of an archive, as a recipient asks for it. */
export async function archiveAddress(
  pkg: { readonly id: string },
  kind: ArchiveKind,
  readToken: string,
  query: { expiry?: string } = {},
): Promise<string> {
  const how = { as: { packageToken: readToken } }
  const { id } = await archiveOf(pkg, kind, how)
  const { method, url } = await use(fileUrl, { params: { package_id: pkg.id, file_id: id }, query }, how)
  assert.equal(method, 'GET')
  return url
}
