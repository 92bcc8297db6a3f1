import type { Client } from '@longshore/client/client'
import { listFiles, removeFile } from '@longshore/contract/cloud/files'
import { answerForm } from '@longshore/contract/cloud/forms'
import { createLink } from '@longshore/contract/cloud/links'
import {
  createPortalPackage,
  createTeamPackage,
  deletePackage,
  finalizePackage,
  readPackage,
  readTeamPackage,
  setPackageExpiry,
} from '@longshore/contract/cloud/packages'
import { lookUpPortal } from '@longshore/contract/cloud/portals'
import { reportProgress } from '@longshore/contract/cloud/realtime'
import type { InputOf, ReplyOf } from '@longshore/contract/endpoint'
import { Refusal } from '@longshore/kit/refusal'
import { ask, askAsUser } from './ask.ts'
import type { Session } from './session.ts'

/** A package that was opened for us, with the token to fill it. */
export interface OpenPackage {
  readonly id: string
  readonly token: string
}

type TeamPackage = InputOf<typeof createTeamPackage>['body']

/** Opens a package of a Team. `key` makes the same call again harmless. */
export async function openTeamPackage(
  client: Client,
  session: Session,
  teamId: string,
  body: TeamPackage,
  days: number | undefined,
  key: string,
): Promise<OpenPackage> {
  const credential = session.credential()
  const made = await askAsUser((signal) =>
    client.call(createTeamPackage, { params: { team_id: teamId }, body }, { credential, signal, idempotencyKey: key }),
  )
  const opened = { id: made.id, token: made.access_token ?? '' }
  if (days !== undefined && body.unlimited_storage !== true) await keepFor(client, opened, days, made.created_at)
  return opened
}

async function keepFor(client: Client, { id, token }: OpenPackage, days: number, from: string): Promise<void> {
  const expiry = new Date(Date.parse(from) + days * 24 * 3600 * 1000).toISOString()
  await ask((signal) =>
    client.call(
      setPackageExpiry,
      { params: { package_id: id }, body: { expiry } },
      { credential: { packageToken: token }, signal },
    ),
  )
}

export interface PortalSending {
  readonly subdomain: string
  readonly accessCode: string
  readonly metadata: Readonly<Record<string, string>> | undefined
  readonly body: Omit<InputOf<typeof createPortalPackage>['body'], 'form_data_id'>
}

/** Opens a package in a Portal, with the answers to its form. */
export async function openPortalPackage(client: Client, sending: PortalSending, key: string): Promise<OpenPackage> {
  const { subdomain, accessCode, metadata } = sending
  const portal = await ask((signal) => client.call(lookUpPortal, { params: { subdomain } }, { signal }))
  const params = { portal_id: portal.id }
  const by = { credential: { accessCode } }
  const answers = Object.fromEntries(Object.entries(metadata ?? {}).map(([name, value]) => [name, { value }]))
  const formDataId =
    metadata === undefined
      ? undefined
      : (await ask((signal) => client.call(answerForm, { params, body: answers }, { ...by, signal }))).id
  const body = { ...sending.body, ...(formDataId === undefined ? {} : { form_data_id: formDataId }) }
  const made = await ask((signal) =>
    client.call(createPortalPackage, { params, body }, { ...by, signal, idempotencyKey: key }),
  )
  return { id: made.id, token: made.access_token ?? '' }
}

const byToken = (token: string) => ({ credential: { packageToken: token } })

export const closePackage = ({ call }: Client, { id, token }: OpenPackage): Promise<undefined> =>
  ask((signal) => call(finalizePackage, { params: { package_id: id } }, { ...byToken(token), signal }))

export const makeLink = (
  { call }: Client,
  { id, token }: OpenPackage,
  body: InputOf<typeof createLink>['body'],
  key?: string,
): Promise<ReplyOf<typeof createLink>> =>
  ask((signal) =>
    call(
      createLink,
      { params: { package_id: id }, body },
      { ...byToken(token), signal, ...(key === undefined ? {} : { idempotencyKey: key }) },
    ),
  )

/** A fresh token of the same package; undefined where its kind is not renewed. */
export const renewToken = async (
  { call }: Client,
  { id, token }: OpenPackage,
  signal: AbortSignal,
): Promise<string | undefined> =>
  (await call(readPackage, { params: { package_id: id } }, { ...byToken(token), signal })).access_token

/** The same by whoever is signed in, for a package whose own token has ended. */
export async function tokenByUser({ call }: Client, session: Session, packageId: string): Promise<string> {
  const credential = session.credential()
  for (const { id } of (await session.read()).teams) {
    const params = { team_id: id, package_id: packageId }
    const found = await askAsUser((signal) => call(readTeamPackage, { params }, { credential, signal })).catch(
      (error: unknown) => {
        if (!(error instanceof Refusal) || error.code !== 'package_not_found') throw error
      },
    )
    if (found?.access_token !== undefined) return found.access_token
  }
  throw new Refusal('package_not_found', `No Team of whoever is signed in has the package '${packageId}'.`)
}

/** Takes back a package that was never finished. One that is gone already is as good. */
export async function dropPackage({ call }: Client, { id, token }: OpenPackage): Promise<void> {
  try {
    await ask((signal) => call(deletePackage, { params: { package_id: id } }, { ...byToken(token), signal }))
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'package_not_found') throw error
  }
}

/** Takes files out of an open package that were added and never finished. `isOurs` is asked with path and name. */
export async function removeUnfinished(
  client: Client,
  { id, token }: OpenPackage,
  isOurs: (place: { readonly path: string; readonly name: string }) => boolean,
): Promise<void> {
  const by = byToken(token)
  const files = await ask((signal) => client.call(listFiles, { params: { package_id: id } }, { ...by, signal }))
  for (const file of files) {
    if (file.kind !== 'file' || file.state === 'finalized' || !isOurs(file)) continue
    const params = { package_id: id, file_id: file.id }
    await ask((signal) => client.call(removeFile, { params }, { ...by, signal }))
  }
}

export const tellProgress = async ({ call }: Client, { id, token }: OpenPackage, bytes: number): Promise<void> => {
  const signal = AbortSignal.timeout(10_000)
  const body = { uploaded_bytes: bytes }
  await call(reportProgress, { params: { package_id: id }, body }, { ...byToken(token), signal })
}
