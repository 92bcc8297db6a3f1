import { createUploadDesk } from './upload-desk.ts'
import type { UploadOrder, UploadReport } from './upload-messages.ts'

const port = globalThis as unknown as {
  postMessage(report: UploadReport): void
  addEventListener(kind: 'message', listen: (event: MessageEvent<UploadOrder>) => void): void
}

const take = createUploadDesk((report) => port.postMessage(report))
port.addEventListener('message', ({ data }) => take(data))
