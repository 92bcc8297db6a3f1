import { createDownloadDesk } from './download-desk.ts'
import type { DownloadOrder, DownloadReport } from './download-messages.ts'

const port = globalThis as unknown as {
  postMessage(report: DownloadReport): void
  addEventListener(kind: 'message', listen: (event: MessageEvent<DownloadOrder>) => void): void
}

const take = createDownloadDesk((report) => port.postMessage(report))
port.addEventListener('message', ({ data }) => take(data))
