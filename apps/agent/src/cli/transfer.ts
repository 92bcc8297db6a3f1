import {
  deleteDownload,
  type Download,
  type ListedDownload,
  listDownloads,
  pauseDownload,
  readDownload,
  resumeDownload,
  setDownloadRank,
} from '@longshore/contract/agent/downloads'
import {
  deleteUpload,
  type ListedUpload,
  listUploads,
  pauseUpload,
  readUpload,
  resumeUpload,
  setUploadRank,
  type Upload,
} from '@longshore/contract/agent/uploads'
import type { Static } from 'typebox'
import type { Agent } from '#cli/agent/connection'
import { Misuse } from '#cli/misuse'
import type { Progress } from '#cli/terminal/progress-line'
import { harmless } from '#cli/terminal/text'
import { Trouble } from '#cli/trouble'

/** An upload or a download, as the agent tells of it. */
export type Transfer =
  | ({ readonly kind: 'upload' } & Static<typeof ListedUpload>)
  | ({ readonly kind: 'download' } & Static<typeof ListedDownload>)

export type TransferKind = Transfer['kind']

export type TransferWithItems =
  | ({ readonly kind: 'upload' } & Static<typeof Upload>)
  | ({ readonly kind: 'download' } & Static<typeof Download>)

export type Item = TransferWithItems['items'][number]

/** An entry of a package, and what there is to say about it. */
export const describeItem = ({ path, name, error }: Item): string =>
  harmless(`${path === '' ? '' : `${path}/`}${name}${error === undefined ? '' : ` (${error.message})`}`)

export const idOf = (transfer: Transfer): string =>
  transfer.kind === 'upload' ? transfer.upload_id : transfer.download_id

/** The end of an id: it is random, while ids that were made together begin alike. */
export const shortId = (id: string): string => id.slice(-8)

export const progressOf = (transfer: Transfer): Progress => ({
  direction: transfer.kind === 'upload' ? 'up' : 'down',
  name: transfer.name,
  state: transfer.state,
  done: transfer.progress,
  size: transfer.size,
  bitsPerSecond: transfer.rate_bps,
  secondsLeft: transfer.eta_seconds ?? undefined,
})

export const isOver = ({ state }: Pick<Transfer, 'state'>): boolean => state === 'complete' || state === 'error'

/** All transfers, uploads and downloads together, the newest first. */
export async function listTransfers(agent: Agent): Promise<Transfer[]> {
  const [uploads, downloads] = await Promise.all([agent.call(listUploads), agent.call(listDownloads)])
  return [
    ...uploads.transfers.map((transfer) => ({ kind: 'upload' as const, ...transfer })),
    ...downloads.transfers.map((transfer) => ({ kind: 'download' as const, ...transfer })),
  ].sort((a, b) => (a.created_at < b.created_at ? 1 : -1))
}

/** The one transfer whose id is the text or ends with it. */
export function pickTransfer(transfers: readonly Transfer[], text: string): Transfer {
  const wanted = text.toLowerCase()
  if (wanted.length < 4) throw new Misuse(`'${text}' is too short for an id. Use what \`longshore ls\` shows.`)
  const found = transfers.filter((transfer) => idOf(transfer).endsWith(wanted))
  const [one, another] = found
  if (one === undefined) throw new Trouble(`There is no transfer '${text}'.`, { hint: 'longshore ls --all' })
  if (another !== undefined) throw new Misuse(`Several ids end with '${text}'. Use more of it.`)
  return one
}

export const readTransfer = async (
  agent: Agent,
  kind: TransferKind,
  id: string,
  items: { readonly items_limit: number; readonly items_states?: Item['state'][] } = { items_limit: 0 },
): Promise<TransferWithItems> =>
  kind === 'upload'
    ? { kind, ...(await agent.call(readUpload, { params: { upload_id: id }, query: items })) }
    : { kind, ...(await agent.call(readDownload, { params: { download_id: id }, query: items })) }

const callsFor = {
  pause: { upload: pauseUpload, download: pauseDownload },
  resume: { upload: resumeUpload, download: resumeDownload },
  delete: { upload: deleteUpload, download: deleteDownload },
} as const

export async function doTo(agent: Agent, what: keyof typeof callsFor, kind: TransferKind, id: string): Promise<void> {
  if (kind === 'upload') await agent.call(callsFor[what].upload, { params: { upload_id: id } })
  else await agent.call(callsFor[what].download, { params: { download_id: id } })
}

export async function setRank(agent: Agent, transfer: Transfer, rank: number): Promise<void> {
  const body = { fifo_rank: rank }
  if (transfer.kind === 'upload') await agent.call(setUploadRank, { params: { upload_id: transfer.upload_id }, body })
  else await agent.call(setDownloadRank, { params: { download_id: transfer.download_id }, body })
}
