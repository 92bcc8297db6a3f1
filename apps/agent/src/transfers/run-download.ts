import { ApiError } from '@longshore/client/client'
import { packageCalls } from '@longshore/client/package-calls'
import type { DownloadNote } from '@longshore/transfer/download-journal'
import { type DownloadOutcome, downloadPackage } from '@longshore/transfer/download-package'
import type { DownloadCalls, WantedFile } from '@longshore/transfer/ports'
import { openLink } from '#cloud/links'
import { boot } from '#host/boot'
import type { Destination } from '#host/destination'
import { itemsToMove, saveItem } from '#state/items'
import { journalOf } from '#state/journal'
import { addToTotals, markListed, saveSecrets, type TransferRow } from '#state/transfers'
import type { Book } from './book.ts'
import { deliveryCalls, keyOf, listDelivery } from './delivery-files.ts'
import { destinationOf } from './destination-of.ts'
import { skippedBecause } from './errors.ts'
import type { Means } from './means.ts'
import { downloadPlan, downloadSecrets, isDelivery, type LinkPlan } from './plans.ts'

/** Fetches what is left of a download. */
export async function runDownload(
  means: Means,
  row: TransferRow,
  book: Book,
  signal: AbortSignal,
): Promise<DownloadOutcome> {
  const { db, clock } = means
  const plan = downloadPlan(row)
  const destination = await destinationOf(means, row)
  try {
    if (row.listed === 0) {
      if (isDelivery(plan)) await listDelivery(means, row, signal)
      else await leaveOut(means, row, plan, destination, signal)
    }
    return await downloadPackage(
      {
        clock,
        chance: Math.random,
        lanes: means.lanes.down,
        limiters: [means.limiters.down],
        files: filesToFetch(means, row, destination, book),
        calls: isDelivery(plan) ? deliveryCalls(means, row) : linkCalls(means, row, plan),
        receive: means.receive,
        hasher: means.hasher,
        journal: journalOf<DownloadNote>(db, row.seq),
        boot,
      },
      { priority: () => row.priority, onFile: book.onFile, onBytes: book.onBytes },
      signal,
    )
  } finally {
    await destination.close()
  }
}

const page = 200

/** Before the first byte, when nothing that stands there can be ours. */
async function leaveOut(
  { db }: Means,
  { seq }: TransferRow,
  plan: LinkPlan,
  destination: Destination,
  signal: AbortSignal,
): Promise<void> {
  let last = -1
  while (plan.onConflict === 'skip') {
    const items = itemsToMove(db, seq, last, page)
    for (const { n, kind, path, name, size } of items) {
      signal.throwIfAborted()
      if (kind !== 'file' || !(await destination.stands({ path, name }))) continue
      const error = JSON.stringify(skippedBecause('A file of this name is there already.'))
      db.transaction(() => {
        saveItem(db, seq, n, { state: 'skipped', progress: 0, error })
        addToTotals(db, seq, -1, -size)
      })
    }
    if (items.length === 0) break
    last = items.at(-1)?.n ?? last
  }
  markListed(db, seq)
}

async function* filesToFetch(
  { db }: Means,
  { seq, type }: TransferRow,
  destination: Destination,
  book: Book,
): AsyncGenerator<WantedFile> {
  let last = -1
  while (true) {
    const items = itemsToMove(db, seq, last, page)
    if (items.length === 0) return
    for (const item of items) {
      const { n, kind, path, name, size } = item
      if (kind === 'directory') {
        await destination.makeFolder({ path, name })
        book.onFile(n, { state: 'complete' })
        continue
      }
      const sha256 = item.sha256 ?? undefined
      const id = type === 'gateway' ? keyOf(item) : item.file_id
      yield destination.wanted({ n, id, path, name, size, sha256, lastModified: item.last_modified })
    }
    last = items.at(-1)?.n ?? last
  }
}

/** The calls of the package. Its token is good for a day; a longer download opens its link again. */
function linkCalls({ client, db }: Means, row: TransferRow, { linkId }: LinkPlan): DownloadCalls {
  let secrets = downloadSecrets(row)
  let renewing: Promise<void> | undefined
  const renew = async (signal: AbortSignal) => {
    const { package_token: token } = await openLink(
      client,
      { id: linkId, ...secrets, earlierToken: secrets.token },
      signal,
    )
    secrets = { ...secrets, token }
    saveSecrets(db, row.seq, JSON.stringify(secrets))
  }
  const calls = packageCalls(client, row.package_id, () => secrets.token)
  return {
    fileUrls: async (fileIds, signal) => {
      const { token } = secrets
      try {
        return await calls.fileUrls(fileIds, signal)
      } catch (error) {
        if (!(error instanceof ApiError) || error.error !== 'token_expired') throw error
        if (secrets.token === token) await (renewing ??= renew(signal).finally(() => (renewing = undefined)))
        return calls.fileUrls(fileIds, signal)
      }
    },
  }
}
