import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { CallerCredential, CallInput } from '@longshore/client/client'
import { addFile, chunkRequests, fileUrl, finalizeFile, listFiles } from '@longshore/contract/cloud/files'
import { createLink, lookUpLink } from '@longshore/contract/cloud/links'
import { createTeamPackage, finalizePackage } from '@longshore/contract/cloud/packages'
import type { ReplyOf } from '@longshore/contract/endpoint'
import { use } from '#calls'
import { ownAddress, send } from '#http'
import { openUpload, store } from '#storage'
import { target } from '#target'

export type Package = ReplyOf<typeof createTeamPackage> & { readonly access_token: string }
export type AddedFile = ReplyOf<typeof addFile>
type PackageFields = CallInput<typeof createTeamPackage>['body']

export const someName = (what: string): string => `${what} ${randomBytes(4).toString('hex')}`
export const lastModified = '2026-03-14T15:09:26.535Z'

export async function makePackage(
  fields: Partial<PackageFields> = {},
  as: CallerCredential = { apiKey: target.api_key },
  teamId = target.team_id,
): Promise<Package> {
  const body = { name: someName('Rushes'), description: '', recipients: [], ...fields }
  const pkg = await use(createTeamPackage, { params: { team_id: teamId }, body }, { as })
  assert.ok(pkg.access_token !== undefined)
  return { ...pkg, access_token: pkg.access_token }
}

export const managing = (pkg: Package) => ({ as: { packageToken: pkg.access_token } })

export const inPackage = (pkg: { readonly id: string }) => ({ package_id: pkg.id })

export interface FileFields {
  readonly name?: string
  readonly path?: string
  readonly size?: number
  readonly chunk_size?: number
  readonly kind?: 'file' | 'directory'
}

export const newFile = (fields: FileFields = {}) => ({
  kind: 'file' as const,
  name: someName('clip'),
  path: '',
  last_modified: lastModified,
  ...fields,
})

export const add = (pkg: Package, fields: FileFields = {}): Promise<AddedFile> =>
  use(addFile, { params: inPackage(pkg), body: newFile(fields) }, managing(pkg))

export const inFile = (added: AddedFile) => ({ package_id: added.file.package_id, file_id: added.file.id })

/** Uploads one file by the calls of the spec, one chunk after the other. */
export async function upload(pkg: Package, content: Buffer, fields: FileFields = {}): Promise<AddedFile> {
  const added = await add(pkg, { size: content.length, ...fields })
  const uploadId = await openUpload(added.create_blueprint)
  const { chunk_size } = added.file
  const count = Math.max(1, Math.ceil(content.length / chunk_size))
  const blueprints = await use(
    chunkRequests,
    { params: inFile(added), query: { start: 0, count }, body: { upload_id: uploadId } },
    managing(pkg),
  )
  const extras = []
  for (const [index, blueprint] of blueprints.entries()) {
    const etag = await store(blueprint, content.subarray(index * chunk_size, (index + 1) * chunk_size))
    extras.push({ part_number: String(index + 1), etag })
  }
  const body = { chunk_extras: extras, file_extras: { upload_id: uploadId }, size: content.length }
  await use(finalizeFile, { params: inFile(added), body }, managing(pkg))
  return added
}

export const finalize = (pkg: Package) => use(finalizePackage, { params: inPackage(pkg) }, managing(pkg))

/** The file list of a package, once the worker has read every file of it. */
export async function inspected(pkg: Package, seconds = 60) {
  const deadline = Date.now() + seconds * 1000
  while (true) {
    const files = await use(listFiles, { params: inPackage(pkg) }, managing(pkg))
    if (files.every(({ integrity }) => integrity !== 'pending')) return files
    if (Date.now() > deadline) throw new Error(`The files of package '${pkg.id}' were not read in ${seconds} s.`)
    await sleep(100)
  }
}

type LinkFields = NonNullable<CallInput<typeof createLink>['body']>

export const makeLink = (pkg: Package, body: LinkFields = {}) =>
  use(createLink, { params: inPackage(pkg), body }, managing(pkg))

export const readTokenOf = async (link: { readonly id: string; readonly secret: string }, password?: string) =>
  (
    await use(
      lookUpLink,
      { params: { link_id: link.id }, query: { secret: link.secret } },
      password === undefined ? {} : { as: { linkPassword: password }, from: ownAddress() },
    )
  ).package_token

/** A finalized package of one small file, with a link to it and a token that reads it. */
export async function makeSent(fields: Partial<PackageFields> = {}, content = Buffer.from('Ahoy.')) {
  const pkg = await makePackage(fields)
  const added = await upload(pkg, content, { name: 'note.txt' })
  await finalize(pkg)
  const link = await makeLink(pkg)
  return { pkg, added, link, readToken: await readTokenOf(link, fields.password) }
}

/** The bytes of a file, fetched as a recipient does. */
export async function fetchFile(pkg: { readonly id: string }, fileId: string, readToken: string) {
  const { method, url } = await use(
    fileUrl,
    { params: { package_id: pkg.id, file_id: fileId } },
    { as: { packageToken: readToken } },
  )
  return send({ method, url })
}
