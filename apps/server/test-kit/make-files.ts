import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { Cx } from '#domain/cx'
import { addFiles } from '#domain/uploads/add-files'
import { finalizeFiles } from '#domain/uploads/finalize-files'
import { filesById } from '#store/files'
import type { MadePackage } from './make.ts'

export interface FileToMake {
  /** With its folders; one that ends with a slash is a directory. */
  readonly path: string
  readonly bytes?: Buffer
  readonly modified?: string
  /** False: the sender tells no checksums. */
  readonly checksums?: boolean
}

const atOnce = 16
const batch = 1_000

/** Any number of small files at once, in the store and finalized, with the checksums that a good client tells. */
export async function makeFiles(cx: Cx, pkg: MadePackage, files: readonly FileToMake[]): Promise<void> {
  for (let from = 0; from < files.length; from += batch) await makeBatch(cx, pkg, files.slice(from, from + batch))
}

async function makeBatch(cx: Cx, pkg: MadePackage, files: readonly FileToMake[]): Promise<void> {
  const wanted = files.map(({ path, bytes = Buffer.alloc(0), modified = '2026-01-02T03:04:05.000Z' }) => {
    const components = path.replace(/\/$/, '').split('/')
    const kind = path.endsWith('/') ? ('directory' as const) : ('file' as const)
    const name = components.pop() ?? ''
    const size = kind === 'file' ? { size: bytes.length } : {}
    return { kind, name, path: components.join('/'), last_modified: modified, ...size }
  })
  const added = (await addFiles(cx, pkg.manager, pkg.id, wanted)).files.map(({ file }) => file)
  const rows = await filesById(
    cx.db,
    pkg.teamId,
    pkg.id,
    added.map(({ id }) => id),
  )
  const keys = new Map(rows.map(({ id, object_key }) => [id, object_key]))
  const claims = added.flatMap(({ id, kind }, index) => {
    const { bytes = Buffer.alloc(0), checksums = true } = files[index] ?? {}
    const told = { crc32: crc32(bytes).toString(16).padStart(8, '0'), sha256: hash('sha256', bytes) }
    const claim = { file_id: id, size: bytes.length, ...(checksums ? { checksums: told } : {}) }
    return kind === 'file' ? [{ bytes, claim }] : []
  })
  const queue = claims.values()
  const lane = async () => {
    for (const { bytes, claim } of queue) await cx.blob.write(keys.get(claim.file_id) ?? '', bytes)
  }
  await Promise.all(Array.from({ length: atOnce }, lane))
  if (claims.length === 0) return
  const { results } = await finalizeFiles(
    cx,
    pkg.manager,
    pkg.id,
    claims.map(({ claim }) => claim),
  )
  for (const result of results) assert.equal(result.status, 204, JSON.stringify(result))
}
