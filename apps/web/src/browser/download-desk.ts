import { ApiError, createClient } from '@longshore/client/client'
import { packageCalls } from '@longshore/client/package-calls'
import { waybill } from '@longshore/contract/cloud/files'
import { judge } from '@longshore/transfer/faults'
import { type Contents, contentsOf, folderOf } from './contents.ts'
import type { DownloadOrder, DownloadReport, OpenPackage } from './download-messages.ts'
import type { ToSave } from './folder-target.ts'
import { placeOf } from './places.ts'
import { createSavingRuns, type SavingRuns } from './saving-runs.ts'

/** Everything that the download worker does: lists a package, and saves files of it into a folder. */
export function createDownloadDesk(report: (report: DownloadReport) => void): (order: DownloadOrder) => void {
  const client = createClient({ baseUrl: location.origin })
  let opened: { readonly package: OpenPackage; readonly contents: Contents } | undefined
  let runs: SavingRuns | undefined

  const open = async (wanted: OpenPackage) => {
    const listed = await packageCalls(client, wanted.id, wanted.token).listFiles(new AbortController().signal)
    const contents = contentsOf(listed)
    const archives = listed
      .filter(({ kind }) => kind === 'zip_windows' || kind === 'zip_mac')
      .map(({ kind, id }) => ({ kind: kind as 'zip_windows' | 'zip_mac', id }))
    opened = { package: wanted, contents }
    report({ kind: 'contents', contents, archives })
  }

  const save = async (folder: FileSystemDirectoryHandle, rows: readonly number[]) => {
    if (opened === undefined) return
    const hashes = await hashesOf(opened.package)
    const { contents } = opened
    const files = rows.map((row): ToSave & { readonly row: number } => {
      const place = { name: contents.names[row] as string, path: folderOf(contents, row) }
      const id = contents.ids[row] as string
      return { ...place, row, id, size: contents.sizes[row] as number, sha256: hashes.get(placeOf(place)) }
    })
    const calls = packageCalls(client, opened.package.id, opened.package.token)
    runs = createSavingRuns({ calls, folder, files, report: (saving) => report({ kind: 'saving', saving }) })
    runs.start()
  }

  const hashesOf = async ({ id, token }: OpenPackage) => {
    const bill = await client.call(waybill, { params: { package_id: id } }, { credential: { packageToken: token } })
    return new Map(bill.files.map(({ path, sha256 }) => [path, sha256 ?? undefined]))
  }

  const refused = (error: unknown) =>
    report({ kind: 'refused', error: error instanceof ApiError ? error.error : judge(error).code })

  return (order) => {
    switch (order.kind) {
      case 'open':
        void open(order.package).catch(refused)
        break
      case 'save':
        void save(order.folder, order.rows).catch(refused)
        break
      case 'pause':
        runs?.pause()
        break
      case 'go on':
        runs?.start()
        break
    }
  }
}
