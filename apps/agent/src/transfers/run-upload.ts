import { packageCalls } from '@longshore/client/package-calls'
import type { SourceFile } from '@longshore/transfer/ports'
import type { UploadNote } from '@longshore/transfer/upload-journal'
import { sendGrowth } from '@longshore/transfer/send-growth'
import { type UploadOutcome, uploadPackage } from '@longshore/transfer/upload-package'
import { renewToken } from '#cloud/packages'
import { growingFile } from '#host/growing-file'
import { type FoundSource, sourceFile } from '#host/source-file'
import { type ItemRow, itemsToMove, resizeItem } from '#state/items'
import { journalOf } from '#state/journal'
import { addToTotals, saveSecrets, type TransferRow } from '#state/transfers'
import type { Book } from './book.ts'
import { type Listing, listSources, wholeList } from './list-sources.ts'
import type { Means } from './means.ts'
import { type UploadPlan, uploadPlan, uploadSecrets } from './plans.ts'

/** Sends what is left of an upload. */
export async function runUpload(
  means: Means,
  row: TransferRow,
  book: Book,
  signal: AbortSignal,
): Promise<UploadOutcome> {
  const { db, clock } = means
  const plan = uploadPlan(row)
  const ended = new AbortController()
  const token = keepToken(means, row, ended.signal)
  const listing =
    row.listed === 1 ? wholeList : listSources(means, row.seq, plan, AbortSignal.any([signal, ended.signal]))
  try {
    return await uploadPackage(
      {
        clock,
        chance: Math.random,
        lanes: means.lanes.up,
        limiters: [means.limiters.up],
        files: filesToSend(means, row.seq, listing, plan),
        calls: packageCalls(means.client, row.package_id, token),
        send: means.send,
        hasher: means.hasher,
        journal: journalOf<UploadNote>(db, row.seq),
        sendGrowth,
      },
      {
        finalize: means.autoFinalize && plan.leaveOpen !== true,
        priority: () => row.priority,
        onFile: book.onFile,
        onBytes: book.onBytes,
      },
      signal,
    )
  } finally {
    ended.abort()
  }
}

// Well within the week that a management token is good for.
const renewEveryMs = 12 * 3600 * 1000

/** The token of the package, renewed from time to time for as long as the run goes. One of a Portal lasts a month. */
function keepToken({ client, db, log, now }: Means, row: TransferRow, signal: AbortSignal): () => string {
  let secrets = uploadSecrets(row)
  const renew = async () => {
    const token = await renewToken(client, { id: row.package_id, token: secrets.token }, signal)
    if (token === undefined || signal.aborted) return
    secrets = { token }
    saveSecrets(db, row.seq, JSON.stringify(secrets))
  }
  const tryToRenew = () => {
    renew().catch((err: unknown) => log.warn({ transfer: row.id, err }, 'the token of a package was not renewed'))
  }
  // Runs may all be short, of an agent that is started every morning; the token grows old all the same.
  if (now().getTime() - Date.parse(row.created_at) > renewEveryMs) tryToRenew()
  const renewing = setInterval(tryToRenew, renewEveryMs)
  signal.addEventListener('abort', () => clearInterval(renewing), { once: true })
  return () => secrets.token
}

// Few enough to hold, many enough that asking for them costs nothing.
const page = 200

async function* filesToSend(
  means: Means,
  transfer: number,
  listing: Listing,
  plan: UploadPlan,
): AsyncGenerator<SourceFile> {
  const { db } = means
  let last = -1
  while (true) {
    const isWhole = listing.isOver()
    const items = itemsToMove(db, transfer, last, page)
    for (const item of items) yield sourceOf(means, transfer, item, plan)
    last = items.at(-1)?.n ?? last
    if (items.length > 0) continue
    if (isWhole) return
    await listing.more()
  }
}

function sourceOf(means: Means, transfer: number, item: ItemRow, { chunkSize, growing }: UploadPlan): SourceFile {
  const { db, clock } = means
  const file = sourceFile(item.n, foundSource(item), chunkSize)
  if (item.kind !== 'file') return file
  let { size } = item
  const seen = (now: number) => {
    if (now === size) return
    db.transaction(() => {
      resizeItem(db, transfer, item.n, now)
      addToTotals(db, transfer, 0, now - size)
    })
    size = now
  }
  if (growing !== undefined) return growingFile(file, item.local, { clock, seen, ...growing, ...means.streams })
  return {
    ...file,
    // One that changed since it was listed is sent as it is by now.
    open: async () => {
      const source = await file.open()
      try {
        seen(source.size)
        return source
      } catch (error) {
        // The state takes no notes just now; whoever tries again opens it again.
        await source.close()
        throw error
      }
    },
  }
}

const foundSource = ({ kind, name, path, local, size, last_modified, identity }: ItemRow): FoundSource => ({
  kind,
  name,
  path,
  local,
  size,
  lastModified: last_modified,
  identity,
})
