import type { OnConflict } from '#host/give-name'
import type { TransferRow } from '#state/transfers'

/** What was asked for, and what it takes to go on with it after a restart. */

export interface UploadPlan {
  readonly paths: readonly string[]
  readonly chunkSize: number
}

export interface UploadSecrets {
  readonly token: string
}

export interface DownloadPlan {
  readonly folder: string
  readonly onConflict: OnConflict
  readonly linkId: string
}

export interface DownloadSecrets {
  readonly token: string
  readonly linkSecret: string
  readonly password?: string
}

export const uploadPlan = ({ plan }: TransferRow) => JSON.parse(plan) as UploadPlan
export const uploadSecrets = ({ secrets }: TransferRow) => JSON.parse(secrets) as UploadSecrets
export const downloadPlan = ({ plan }: TransferRow) => JSON.parse(plan) as DownloadPlan
export const downloadSecrets = ({ secrets }: TransferRow) => JSON.parse(secrets) as DownloadSecrets
