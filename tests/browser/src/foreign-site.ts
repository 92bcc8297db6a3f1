import { once } from 'node:events'
import { createServer } from 'node:http'

export interface Site {
  readonly origin: string
  close(): Promise<void>
}

const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Another site</title>
<label>Files <input type="file" id="files" multiple></label>
`

/** A web site of somebody else: one page with a file field, on its own origin. */
export async function serveSite(host: 'localhost' | '127.0.0.1', port: number): Promise<Site> {
  const server = createServer((request, response) => {
    if (request.url === '/') response.setHeader('content-type', 'text/html; charset=utf-8').end(page)
    else response.writeHead(204).end()
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    origin: `http://${host}:${port}`,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
