import type { DeliveredFile } from '@longshore/contract/gateway'
import type { DownloadCalls } from '@longshore/transfer/ports'
import { persistCall } from '@longshore/transfer/retry'
import { addItem, type ItemRow } from '#state/items'
import { addToTotals, markListed, type TransferRow } from '#state/transfers'
import type { Means } from './means.ts'

/** Writes down what is in the package. After a crash it is asked anew: what is known by its place keeps its number. */
export async function listDelivery(
  { db, clock, askForFiles }: Pick<Means, 'db' | 'clock' | 'askForFiles'>,
  { id, seq }: TransferRow,
  signal: AbortSignal,
): Promise<void> {
  let after = ''
  do {
    const page = after
    const { files, next } = await persistCall({ clock, chance: Math.random }, signal, (signal) =>
      askForFiles(id, page, signal),
    )
    db.transaction(() => {
      for (const file of files) noteFile({ db }, seq, file, page)
      if (next === '') markListed(db, seq)
    })
    after = next
  } while (after !== '')
}

function noteFile({ db }: Pick<Means, 'db'>, seq: number, file: DeliveredFile, page: string): void {
  const { id, kind, path, name, size, last_modified, sha256 } = file
  const added = addItem(db, seq, {
    kind,
    path,
    name,
    size,
    last_modified,
    state: 'pending',
    error: null,
    local: '',
    identity: '',
    file_id: id,
    sha256: sha256 === '' ? null : sha256,
    page,
  })
  if (added && kind === 'file') addToTotals(db, seq, 1, size)
}

/** What the engine calls a file of a delivery: with it, it is known which page to ask for. */
export const keyOf = ({ page, file_id: id }: Pick<ItemRow, 'page' | 'file_id'>): string => `${page}/${id}`

// Addresses are good for an hour; those that lay here for long would be used too late.
const keptMs = 15 * 60_000
// Two pages: the engine goes through them in order, and is behind with a few.
const mostKept = 2_000

/** Addresses by the page. Each is handed out once: who asks for one again was refused with it. */
export function deliveryCalls(
  { clock, askForFiles }: Pick<Means, 'clock' | 'askForFiles'>,
  { id: transferId }: Pick<TransferRow, 'id'>,
): DownloadCalls {
  const kept = new Map<string, { readonly url: string; readonly until: number }>()

  const take = (fileId: string): string | undefined => {
    const found = kept.get(fileId)
    kept.delete(fileId)
    return found !== undefined && clock.now() < found.until ? found.url : undefined
  }

  return {
    fileUrls: async (keys, signal) => {
      const urls = new Map<string, string>()
      const missing = new Map<string, string[]>()
      for (const key of keys) {
        const [page = '', fileId = ''] = key.split('/')
        const url = take(fileId)
        if (url === undefined) missing.set(page, [...(missing.get(page) ?? []), fileId])
        else urls.set(fileId, url)
      }
      for (const [page, fileIds] of missing) {
        const { files } = await askForFiles(transferId, page, signal)
        if (kept.size + files.length > mostKept) kept.clear()
        for (const { id, url } of files) kept.set(id, { url, until: clock.now() + keptMs })
        for (const fileId of fileIds) {
          const url = take(fileId)
          if (url !== undefined) urls.set(fileId, url)
        }
      }
      return keys.map((key) => {
        const url = urls.get(key.slice(key.indexOf('/') + 1))
        return url === undefined
          ? { file_id: key, status: 404, error: 'file_not_found', message: 'The package has this file no more.' }
          : { file_id: key, status: 200, url }
      })
    },
  }
}
