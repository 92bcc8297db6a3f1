import { readFileSync } from 'node:fs'
import type { FastifyInstance } from 'fastify'

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"

const pages = [
  { url: '/d/:link_id', file: 'download.html', type: 'text/html; charset=utf-8' },
  { url: '/pages/download.js', file: 'download.js', type: 'text/javascript; charset=utf-8' },
  { url: '/pages/page.css', file: 'page.css', type: 'text/css; charset=utf-8' },
]

/** The plain page of a download link. */
export function addPages(app: FastifyInstance): void {
  for (const { url, file, type } of pages) {
    const content = readFileSync(new URL(`./pages/${file}`, import.meta.url))
    app.get(url, { schema: { hide: true } }, (_request, reply) =>
      reply.type(type).header('content-security-policy', policy).header('cache-control', 'no-cache').send(content),
    )
  }
  // Browsers ask for it on every page; an error in their console would only mislead.
  app.get('/favicon.ico', { schema: { hide: true } }, (_request, reply) => reply.status(204).send())
}
