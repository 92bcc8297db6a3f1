import assert from 'node:assert/strict'
import { minChunkSize } from '@longshore/contract/limits'
import { newId } from '@longshore/kit/ids'
import type { Role, TokenLevel } from '@longshore/contract/endpoint'
import type { Blueprint } from '#blob/port'
import type { PackageCaller, UserCaller } from '#domain/access/caller'
import { identifyByPackageToken, identifyByUserToken } from '#domain/access/identify'
import type { Cx } from '#domain/cx'
import { newLink } from '#domain/links/new-link'
import { createTeamPackage, type TeamPackageFields } from '#domain/packages/create-team-package'
import { finalizePackage } from '#domain/packages/finalize-package'
import { addFile, addFiles } from '#domain/uploads/add-files'
import { chunkRequests } from '#domain/uploads/chunk-requests'
import type { FileClaim } from '#domain/uploads/claim'
import { finalizeFiles } from '#domain/uploads/finalize-files'
import { sql } from '#platform/db'
import { fileById } from '#store/files'
import { insertLinks } from '#store/links'
import { insertMembership, insertTeam } from '#store/teams'
import { insertUser } from '#store/users'

export interface MadeTeam {
  readonly id: string
  readonly owner: MadeMember
}

export interface MadeMember {
  readonly teamId: string
  readonly userId: string
  readonly membershipId: string
  readonly email: string
  readonly caller: UserCaller
}

/** A Team with its Owner. */
export async function makeTeam(cx: Cx): Promise<MadeTeam> {
  const id = newId()
  await cx.db.transaction((tx) => insertTeam(tx, { id, name: 'Harbour Films', subdomain: `team-${id.slice(-12)}` }))
  return { id, owner: await makeMember(cx, id, 'owner') }
}

export async function makeMember(cx: Cx, teamId: string, role: Role): Promise<MadeMember> {
  const userId = newId()
  const membershipId = newId()
  const email = `${role}-${userId.slice(-12)}@example.test`
  await cx.db.transaction(async (tx) => {
    await insertUser(tx, { id: userId, email, name: role, passwordHash: 'none', primaryTeamId: teamId })
    await insertMembership(tx, { id: membershipId, teamId, userId, role })
  })
  const token = await cx.tokens.issueUser({ userId, serial: 0 })
  return { teamId, userId, membershipId, email, caller: await identifyByUserToken(cx, token) }
}

export interface MadePackage {
  readonly id: string
  readonly teamId: string
  readonly owner: MadeMember
  /** Whoever holds the management token that creating it answered. */
  readonly manager: PackageCaller
  readonly files: readonly MadeFile[]
}

export interface PackageWishes extends Partial<TeamPackageFields> {
  readonly team?: MadeTeam
  /** Files that are stored and finalized. */
  readonly files?: readonly FileWishes[]
  readonly finalized?: boolean
}

/** A package as its calls make it; new, unless it is to be finalized. */
export async function makePackage(cx: Cx, wishes: PackageWishes = {}): Promise<MadePackage> {
  const { team, files = [], finalized = false, ...fields } = wishes
  const { id: teamId, owner } = team ?? (await makeTeam(cx))
  const given = { name: 'Rushes', description: '', recipients: [], ...fields }
  const { id, access_token } = await createTeamPackage(cx, owner.caller, teamId, given)
  const manager = await identifyByPackageToken(cx, access_token)
  const made = { id, teamId, owner, manager }
  const madeFiles: MadeFile[] = []
  for (const wish of files) madeFiles.push(await makeFile(cx, made, wish))
  if (finalized) await finalizePackage(cx, manager, id)
  return { ...made, files: madeFiles }
}

/** Someone who holds a token of this level for a package. A read token comes from a link: the one given, or a new one. */
export async function callerFor(
  cx: Cx,
  pkg: Pick<MadePackage, 'id' | 'teamId'>,
  level: TokenLevel,
  from: { linkId?: string; userId?: string } = {},
): Promise<PackageCaller> {
  const link = level === 'read' ? { linkId: from.linkId ?? (await makeLink(cx, pkg)) } : {}
  const token = await cx.tokens.issuePackage({
    teamId: pkg.teamId,
    packageId: pkg.id,
    level,
    serial: 0,
    ...from,
    ...link,
  })
  return identifyByPackageToken(cx, token)
}

async function makeLink(cx: Cx, pkg: Pick<MadePackage, 'id' | 'teamId'>): Promise<string> {
  const { row } = newLink(cx, { email: '', password: '', accessLimit: 0, expiry: null, active: true })
  await cx.db.transaction((tx) => insertLinks(tx, pkg.teamId, pkg.id, [row]))
  return row.id
}

export interface FileWishes {
  readonly name?: string
  readonly path?: string
  /** One piece is put whole, more become parts. All but the last must have 5 MiB. */
  readonly pieces?: readonly Buffer[]
  /** In parts even if it is one. */
  readonly inParts?: boolean
  /** False: the size is not said beforehand. */
  readonly announced?: boolean
  /** False: its bytes are in the store, but nobody has said so. */
  readonly finalized?: boolean
}

export interface MadeFile {
  readonly id: string
  readonly key: string
  readonly bytes: Buffer
  /** What finalizing it is called with. */
  readonly claim: FileClaim & { readonly file_id: string }
}

let names = 0

/** A file whose bytes really are in the store. */
export async function makeFile(
  cx: Cx,
  pkg: Pick<MadePackage, 'id' | 'teamId' | 'manager'>,
  wishes: FileWishes = {},
): Promise<MadeFile> {
  const pieces = wishes.pieces ?? [Buffer.from(`bytes of file ${++names}`)]
  const bytes = Buffer.concat(pieces)
  const fields = {
    kind: 'file' as const,
    name: wishes.name ?? `file-${++names}`,
    path: wishes.path ?? '',
    last_modified: '2026-01-02T03:04:05.000Z',
    ...(wishes.announced === false ? {} : { size: bytes.length }),
  }
  const inParts = wishes.inParts === true || wishes.announced === false || pieces.length > 1
  const { id, claim } = inParts
    ? await sendParts(cx, pkg, fields, pieces)
    : await sendWhole(cx, pkg, fields, pieces[0] ?? Buffer.alloc(0))
  const made = { id, key: await keyOf(cx, pkg, id), bytes, claim: { ...claim, file_id: id } }
  if (wishes.finalized !== false) {
    const { results } = await finalizeFiles(cx, pkg.manager, pkg.id, [made.claim])
    assert.deepEqual(results, [{ file_id: id, status: 204 }])
  }
  return made
}

type Fields = Parameters<typeof addFile>[3]
type Target = Pick<MadePackage, 'id' | 'teamId' | 'manager'>

async function sendWhole(
  cx: Cx,
  pkg: Target,
  fields: Fields,
  bytes: Buffer,
): Promise<{ id: string; claim: FileClaim }> {
  const { files } = await addFiles(cx, pkg.manager, pkg.id, [fields])
  const added = files[0]
  assert.ok(added?.put_blueprint)
  const { etag } = await send(added.put_blueprint, bytes)
  return { id: added.file.id, claim: { size: bytes.length, etag } }
}

async function sendParts(
  cx: Cx,
  pkg: Target,
  fields: Fields,
  pieces: readonly Buffer[],
): Promise<{ id: string; claim: FileClaim }> {
  const added = await addFile(cx, pkg.manager, pkg.id, { ...fields, chunk_size: minChunkSize })
  assert.ok(added.create_blueprint)
  const begun = await send(added.create_blueprint)
  const uploadId = /<UploadId>(.+)<\/UploadId>/.exec(begun.text)?.[1] ?? ''
  const id = added.file.id
  const parts: { part_number: number; etag: string }[] = []
  for (const [index, piece] of pieces.entries()) {
    parts.push({ part_number: index + 1, etag: await sendPart(cx, pkg, id, uploadId, index, piece) })
  }
  const size = pieces.reduce((sum, piece) => sum + piece.length, 0)
  return { id, claim: { size, chunk_extras: parts, file_extras: { upload_id: uploadId } } }
}

/** Sends one chunk of a file, or sends it again with other bytes. Answers its etag. */
export async function sendPart(
  cx: Cx,
  pkg: Target,
  fileId: string,
  uploadId: string,
  index: number,
  bytes: Buffer,
): Promise<string> {
  const json = await chunkRequests(cx, pkg.manager, pkg.id, fileId, { start: index, count: 1, uploadId })
  const [request] = JSON.parse(json) as Blueprint[]
  assert.ok(request !== undefined)
  return (await send(request, bytes)).etag
}

async function send(request: Blueprint, body?: Buffer): Promise<{ etag: string; text: string }> {
  const reply = await fetch(request.url, {
    method: request.method,
    headers: request.headers,
    ...(body === undefined ? {} : { body: new Uint8Array(body) }),
  })
  const text = await reply.text()
  assert.equal(reply.status, 200, text)
  return { etag: reply.headers.get('etag')?.replaceAll('"', '') ?? '', text }
}

async function keyOf(cx: Cx, pkg: Target, fileId: string): Promise<string> {
  const file = await fileById(cx.db, pkg.teamId, pkg.id, fileId)
  assert.ok(file?.object_key)
  return file.object_key
}

/** Lets a package's time be over by so many seconds. */
export const letExpire = (cx: Cx, pkg: Pick<MadePackage, 'id' | 'teamId'>, secondsAgo = 1): Promise<number> =>
  cx.db.transaction((tx) =>
    tx.run(sql`
      update packages set expiry = now() - make_interval(secs => ${secondsAgo}::integer)
       where team_id = ${pkg.teamId} and id = ${pkg.id}
    `),
  )
