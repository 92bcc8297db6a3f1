import type { OnConflict } from '#host/give-name'
import type { TransferRow } from '#state/transfers'

/** What was asked for, and what it takes to go on with it after a restart. */

export interface UploadPlan {
  readonly paths: readonly string[]
  readonly chunkSize: number
  /** Patterns of what is not sent. */
  readonly leaveOut?: readonly string[]
  /** Whoever began it closes the package. */
  readonly leaveOpen?: boolean
  /** The path is a file that is still being written, and is over when it was quiet for so long. */
  readonly growing?: { readonly quietMs: number }
  /** The paths are below this folder of a storage gateway, and nothing outside of its root is sent. */
  readonly collected?: { readonly gateway: string; readonly root: string; readonly below: string }
}

export interface UploadSecrets {
  readonly token: string
}

interface AnyDownload {
  readonly folder: string
  readonly onConflict: OnConflict
}

export interface LinkPlan extends AnyDownload {
  readonly linkId: string
  /** True where the folder was made for this download alone. */
  readonly ownFolder?: boolean
}

/** What the cloud ordered to a folder behind a storage gateway. */
export interface DeliveryPlan extends AnyDownload {
  readonly gateway: string
  /** Of the gateway. The files go below it, and never to where a link in it leads. */
  readonly root: string
  readonly below: string
}

export type DownloadPlan = LinkPlan | DeliveryPlan

export const isDelivery = (plan: DownloadPlan): plan is DeliveryPlan => 'gateway' in plan

export interface DownloadSecrets {
  readonly token: string
  readonly linkSecret: string
  readonly password?: string
}

export const uploadPlan = ({ plan }: TransferRow) => JSON.parse(plan) as UploadPlan
export const uploadSecrets = ({ secrets }: TransferRow) => JSON.parse(secrets) as UploadSecrets
export const downloadPlan = ({ plan }: TransferRow) => JSON.parse(plan) as DownloadPlan
export const downloadSecrets = ({ secrets }: TransferRow) => JSON.parse(secrets) as DownloadSecrets
