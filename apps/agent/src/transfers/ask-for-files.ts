import type { DeliveredFile } from '@longshore/contract/gateway'

/** Files of a delivery, as the cloud tells of them: in pages, each file with an address that is good for an hour. */
export interface DeliveryPage {
  readonly files: readonly DeliveredFile[]
  /** For `after` of the next page; empty on the last. */
  readonly next: string
}

/** Waits until the cloud can be asked, for as long as the signal allows. */
export type AskForFiles = (transferId: string, after: string, signal: AbortSignal) => Promise<DeliveryPage>
