import { createHash } from 'node:crypto'
import { authorizeForPackage, packageExpired } from '#domain/access/authorize'
import type { Caller } from '#domain/access/caller'
import type { Cx } from '#domain/cx'
import { Refusal } from '#domain/refusal'
import { showTime } from '#domain/times'
import type { PackageFile } from '#store/files'
import type { PackageRow } from '#store/packages'
import { packageFiles } from './package-files.ts'

type Needs = Pick<Cx, 'db' | 'signer' | 'settings'>

/** The signed manifest of a package as JSON text in pieces. Asked twice, it is the same text. */
export async function waybill(cx: Needs, caller: Caller, packageId: string): Promise<AsyncIterable<string>> {
  const { pkg } = await authorizeForPackage(cx, caller, 'package.read', packageId)
  if (pkg.state === 'new') throw new Refusal('package_not_finalized')
  if (pkg.state !== 'finalized') throw packageExpired(packageId)
  return pieces(cx, pkg)
}

/**
 * The signature is over a hash: of each file's entry and then of all the rest, each as JSON on a line of its own. So a
 * waybill of a million files is signed, and can be checked, without holding it in memory.
 */
async function* pieces(cx: Needs, pkg: PackageRow): AsyncGenerator<string> {
  const head = { version: 1, issuer: cx.settings.publicUrl, package: describe(pkg) }
  const digest = createHash('sha256')
  let verified = true
  let before = ''
  yield `${JSON.stringify(head).slice(0, -1)},"files":[`
  for await (const block of packageFiles(cx, pkg)) {
    const files = block.files.filter(({ kind }) => kind === 'file')
    verified &&= files.every(({ inspected_at, damaged }) => inspected_at !== null && !damaged)
    const entries = files.map((file) => JSON.stringify(entryOf(file)))
    for (const entry of entries) digest.update(`${entry}\n`)
    if (entries.length === 0) continue
    yield before + entries.join(',')
    before = ','
  }
  digest.update(`${JSON.stringify({ ...head, verified })}\n`)
  const signature = await cx.signer.sign({ waybill: `sha256:${digest.digest('hex')}` })
  yield `],"verified":${verified},"signature":"${signature}"}`
}

const describe = (pkg: PackageRow) => ({
  id: pkg.id,
  name: pkg.name,
  sender: pkg.sender,
  created_at: showTime(pkg.created_at),
  finalized_at: showTime(pkg.finalized_at),
  size: pkg.size,
  total_files: pkg.total_files,
})

const entryOf = ({ path, name, size, last_modified, sha256, crc32, scan }: PackageFile) => ({
  path: path === '' ? name : `${path}/${name}`,
  size: size ?? 0,
  last_modified: showTime(last_modified),
  sha256,
  crc32,
  scan,
})
