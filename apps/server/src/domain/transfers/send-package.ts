import type { ForeignKeys, ForeignStore } from '#blob/foreign-store'
import { isLeftOut } from '#domain/archives/left-out'
import { gate, inLanes } from '#domain/at-once'
import type { Cx } from '#domain/cx'
import { packageFiles } from '#domain/downloads/package-files'
import type { PackageFile } from '#store/files'
import type { PackageRow } from '#store/packages'
import {
  endTransfer,
  forgetFilesThrough,
  keepGoing,
  markStarted,
  rememberedFiles,
  rememberFiles,
  type TransferRow,
} from '#store/transfers'
import { Arrivals } from './arrivals.ts'
import { copiesWholeUpTo } from './copying.ts'
import { leaseSeconds, Stopped, whileKept, whyStop } from './lease.ts'
import { sendFile } from './send-file.ts'
import { surveyTransfer } from './survey.ts'
import { targetKey } from './target-names.ts'

// Requests to the other store, and files, at a time.
const atOnce = 8

type Needs = Pick<Cx, 'db' | 'blob' | 'copier' | 'settings' | 'log'>

export interface Voyage {
  readonly transfer: TransferRow
  readonly pkg: PackageRow
  readonly keys: ForeignKeys
  readonly store: ForeignStore
}

/** Sends every file of a package that has not arrived. */
export async function sendPackage(
  cx: Needs,
  { transfer, pkg, keys, store }: Voyage,
  shutdown: AbortSignal,
): Promise<void> {
  const remembered = new Map((await rememberedFiles(cx.db, transfer)).map((file) => [file.file_id, file]))
  const through = transfer.done_through ?? ''
  const hasArrived = (id: string) => id <= through || remembered.get(id)?.upload_id === null
  const survey = await surveyTransfer(cx, pkg, hasArrived)
  if (!(await cx.db.transaction((tx) => markStarted(tx, transfer, survey)))) throw new Stopped('not-ours')

  const arrivals = new Arrivals()
  const keyOf = (file: PackageFile) => remembered.get(file.id)?.target_key ?? targetKey(transfer.folder, file)
  let progress = survey.progress

  const note = async () => {
    const ahead = arrivals.ahead()
    const doneThrough = arrivals.through
    const kept = await cx.db.transaction(async (tx) => {
      const going = await keepGoing(tx, transfer, { progress, doneThrough }, leaseSeconds)
      if (going === undefined) return undefined
      const files = ahead.map((file_id) => ({ file_id, target_key: '', upload_id: null }))
      if (files.length > 0) await rememberFiles(tx, transfer, files)
      if (doneThrough !== undefined) await forgetFilesThrough(tx, transfer, doneThrough)
      return going
    })
    arrivals.noted(ahead)
    return whyStop(kept)
  }

  await whileKept(cx, transfer, shutdown, note, async (signal) => {
    const load = {
      target: store,
      bucket: keys.bucket,
      partSize: cx.settings.transferPartBytes,
      copying: { on: cx.copier.isOurStore(keys.endpoint) },
      copiesWholeUpTo,
      gate: gate(atOnce),
      isTakenUp: transfer.state === 'started',
      signal,
      arrived(bytes: number) {
        progress += bytes
      },
      async begun(file: PackageFile, key: string, uploadId: string) {
        const row = { file_id: file.id, target_key: key, upload_id: uploadId }
        const noted = await cx.db.transaction((tx) => rememberFiles(tx, transfer, [row]))
        if (noted === 0) throw new Stopped('not-ours')
      },
    }
    await inLanes(filesOf(cx, pkg, arrivals), atOnce, async (file) => {
      signal.throwIfAborted()
      if (!isLeftOut(file) && !hasArrived(file.id)) {
        await sendFile(cx, load, file, keyOf(file), remembered.get(file.id)?.upload_id ?? undefined)
      }
      arrivals.end(file.id)
    })
  })
  await cx.db.transaction((tx) => endTransfer(tx, transfer, { state: 'complete', error: '', tidy: false }))
}

/** One for all lanes: what begins here begins in the order of the list. */
async function* filesOf(cx: Pick<Cx, 'db'>, pkg: PackageRow, arrivals: Arrivals): AsyncGenerator<PackageFile> {
  for await (const { files } of packageFiles(cx, pkg)) {
    for (const file of files) {
      await arrivals.begin(file.id)
      yield file
    }
  }
}
