import { realpath } from 'node:fs/promises'
import { isAbsolute, resolve } from 'node:path'
import type { startDownload as endpoint } from '@longshore/contract/agent/downloads'
import type { InputOf } from '@longshore/contract/endpoint'
import { adviceOf, type ErrorName } from '@longshore/contract/errors'
import { isId } from '@longshore/kit/ids'
import { Refusal } from '@longshore/kit/refusal'
import { HostFault } from '@longshore/transfer/faults'
import { ask } from '#cloud/ask'
import { type Content, readContents } from '#cloud/contents'
import { openLink } from '#cloud/links'
import { makePackageFolder } from '#host/destination'
import { packageFolder } from '#host/safe-path'
import { addItem } from '#state/items'
import { addToTotals, addTransfer } from '#state/transfers'
import { isWithin } from './check-paths.ts'
import { skippedBecause } from './errors.ts'
import type { Means } from './means.ts'
import type { DownloadSecrets, LinkPlan } from './plans.ts'
import type { Beginning } from './start-upload.ts'

type Given = InputOf<typeof endpoint>['body']

/** Opens a link and notes what is to be fetched. Whatever is wrong with the link is told to whoever asked. */
export async function startDownload(
  means: Means,
  given: Given,
  begin: Pick<Beginning, 'id' | 'noted'>,
): Promise<{ download_id: string }> {
  await checkFolder(given.dst_folder, means.dataDir)
  const { client, db } = means
  const link = { ...readAddress(given.url), ...(given.password === undefined ? {} : { password: given.password }) }
  const opened = await ask((signal) => openLink(client, link, signal))
  const token = opened.package_token
  const contents = wanted(await readContents(client, { id: opened.package_id, token }), given.file_ids)

  const { id } = begin
  const plan: LinkPlan = {
    folder: await folderFor(given, opened.name),
    onConflict: given.on_conflict ?? 'rename',
    linkId: link.id,
    ownFolder: given.create_package_folder !== false,
  }
  const { id: _, ...secret } = link
  const secrets: DownloadSecrets = { token, ...secret }
  db.transaction(() => {
    const seq = addTransfer(
      db,
      {
        id,
        direction: 'down',
        type: 'link',
        package_id: opened.package_id,
        name: opened.name,
        priority: given.priority ?? 0,
        plan: JSON.stringify(plan),
        secrets: JSON.stringify(secrets),
      },
      means.now(),
    )
    for (const content of contents) noteContent(means, seq, content)
    begin.noted?.()
  })
  return { download_id: id }
}

async function checkFolder(folder: string, dataDir: string): Promise<void> {
  const refuse = (why: string) => wrong('destination_refused', 'dst_folder', `'${folder}' ${why}`)
  if (!isAbsolute(folder)) throw refuse('is not an absolute path.')
  // A package that is fetched must not take the place of what the agent remembers.
  const real = await realpath(folder).catch(() => resolve(folder))
  if (isWithin(real, dataDir)) throw refuse('belongs to the agent itself.')
}

const wrong = (code: ErrorName, field: string, reason: string, cause?: unknown) =>
  new Refusal(code, reason, { details: [{ field, reason }], cause })

/** The id and the secret in a link as it was shared. */
function readAddress(url: string): { id: string; linkSecret: string } {
  const address = URL.parse(url)
  const id = address?.pathname.split('/').filter(Boolean).at(-1) ?? ''
  const linkSecret =
    address?.searchParams.get('secret') ?? new URLSearchParams(address?.hash.slice(1)).get('secret') ?? ''
  if (!isId(id) || linkSecret === '') throw wrong('download_url_invalid', 'url', adviceOf('download_url_invalid'))
  return { id, linkSecret }
}

/** Those that were asked for, with the folders they are in. */
function wanted(contents: readonly Content[], ids: readonly string[] | undefined): readonly Content[] {
  if (ids === undefined) return contents
  const chosen = new Set(ids)
  const found = contents.filter(({ id }) => chosen.has(id))
  for (const { id } of found) chosen.delete(id)
  const [missing] = chosen
  if (missing !== undefined) throw new Refusal('file_not_found', `The package has no file '${missing}'.`)
  return found
}

async function folderFor(given: Given, name: string): Promise<string> {
  if (given.create_package_folder === false) return given.dst_folder
  try {
    return await makePackageFolder(given.dst_folder, packageFolder(name))
  } catch (error) {
    if (error instanceof HostFault) throw wrong('destination_refused', 'dst_folder', error.message, error)
    throw error
  }
}

function noteContent({ db }: Means, transfer: number, content: Content): void {
  const { kind, path, name, size, lastModified, id, sha256, infected } = content
  addItem(db, transfer, {
    kind,
    path,
    name,
    size,
    last_modified: lastModified,
    state: infected ? 'skipped' : 'pending',
    error: infected ? JSON.stringify(skippedBecause('A virus was found in this file. Tell the sender.')) : null,
    local: '',
    identity: '',
    file_id: id,
    sha256: sha256 ?? null,
  })
  if (kind === 'file' && !infected) addToTotals(db, transfer, 1, size)
}
