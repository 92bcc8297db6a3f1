import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

export interface WebAppOptions {
  /** The build of `apps/web`. */
  readonly folder: string
  /** Where browsers send and fetch the bytes of files. */
  readonly storageOrigin: string
  /** Where the page of a Portal is, with `{subdomain}` in host or path. */
  readonly portalUrl: string
  /** Where links are opened; the id of the link comes behind it. */
  readonly downloadUrl: string
}

interface Door {
  readonly page: string
  readonly urls: readonly string[]
  /** Only for requests to such a host. */
  readonly host?: RegExp | undefined
  readonly cache: 'no-cache' | 'no-store'
}

/** Which page of the build answers at which address. */
const doorsOf = ({ portalUrl, downloadUrl }: WebAppOptions): readonly Door[] => [
  // Names of the files it loads change with each build, so that an old page would ask for what is gone.
  {
    page: 'console.html',
    urls: ['/console', '/console/*', '/setup', '/invitation', '/confirm-email'],
    cache: 'no-cache',
  },
  { page: 'portal.html', urls: distinct('/p/:subdomain', portalPath(portalUrl)), cache: 'no-cache' },
  { page: 'portal.html', urls: ['/'], host: portalHost(portalUrl), cache: 'no-cache' },
  // Its address had a secret in it when it was asked for.
  { page: 'download.html', urls: distinct('/d/:link_id', downloadPath(downloadUrl)), cache: 'no-store' },
]

const distinct = (...urls: readonly (string | undefined)[]) => [...new Set(urls.filter((url) => url !== undefined))]

const mark = '{subdomain}'

/** The path of Portals, where the subdomain stands in it. */
function portalPath(template: string): string | undefined {
  const path = decodeURIComponent(new URL(template.replaceAll(mark, 'subdomain-here')).pathname)
  return path.includes('subdomain-here') ? path.replace('subdomain-here', ':subdomain') : undefined
}

/** The hosts of Portals, where each has its own. */
function portalHost(template: string): RegExp | undefined {
  const { host } = new URL(template.replaceAll(mark, 'subdomain-here'))
  if (!host.includes('subdomain-here')) return undefined
  const [before = '', behind = ''] = host.split('subdomain-here').map((part) => RegExp.escape(part))
  return new RegExp(`^${before}[a-z0-9-]{3,53}${behind}$`, 'i')
}

/** Where links have a host of their own there is no path before their ids, and only ids are taken for one. */
function downloadPath(url: string): string {
  const path = new URL(url).pathname.replace(/\/+$/, '')
  return path === '' ? '/:link_id(^[0-9a-fA-F-]{36}$)' : `${path}/:link_id`
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

// Images may come from elsewhere: logos of Portals are addresses that their Team gives.
const policyFor = (storageOrigin: string) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "worker-src 'self'",
    "style-src 'self'",
    "font-src 'self'",
    "img-src 'self' data: blob: https:",
    `connect-src 'self' ${storageOrigin}`,
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

/** Serves the pages of the web app from memory: they are small, and were compressed when they were built. */
export function addWebApp(app: FastifyInstance, options: WebAppOptions): boolean {
  const { folder } = options
  if (!existsSync(join(folder, 'console.html'))) return false
  const policy = policyFor(options.storageOrigin)
  const hidden = { schema: { hide: true } }

  for (const { page, urls, cache, ...door } of doorsOf(options)) {
    const file = readBuilt(folder, page)
    if ('host' in door && door.host === undefined) continue
    const where = door.host === undefined ? hidden : { ...hidden, constraints: { host: door.host } }
    for (const url of urls) {
      app.get(url, where, (request, reply) =>
        send(request, reply.header('content-security-policy', policy).header('cache-control', cache), file),
      )
    }
  }
  for (const name of globSync('assets/*', { cwd: folder }).filter((name) => !/\.(?:gz|br)$/.test(name))) {
    const file = readBuilt(folder, name)
    app.get(`/${name}`, hidden, (request, reply) =>
      // The policy of a worker is the one that its script came with.
      send(
        request,
        reply.header('content-security-policy', policy).header('cache-control', 'public, max-age=31536000, immutable'),
        file,
      ),
    )
  }
  app.get('/', hidden, (_request, reply) => reply.redirect('/console'))
  return true
}

interface Built {
  readonly type: string
  readonly etag: string
  readonly plain: Buffer
  readonly br: Buffer | undefined
  readonly gzip: Buffer | undefined
}

function readBuilt(folder: string, name: string): Built {
  const file = join(folder, name)
  const plain = readFileSync(file)
  const squeezed = (ending: string) => (existsSync(file + ending) ? readFileSync(file + ending) : undefined)
  return {
    type: types[extname(name)] ?? 'application/octet-stream',
    etag: `"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`,
    plain,
    br: squeezed('.br'),
    gzip: squeezed('.gz'),
  }
}

function send(request: FastifyRequest, reply: FastifyReply, file: Built): FastifyReply {
  void reply.type(file.type).header('vary', 'accept-encoding')
  const accepted = request.headers['accept-encoding'] ?? ''
  const encoding = (['br', 'gzip'] as const).find((one) => file[one] !== undefined && accepts(accepted, one))
  // Each encoding is another row of bytes, and needs a tag of its own.
  const etag = encoding === undefined ? file.etag : file.etag.replace(/"$/, `-${encoding}"`)
  void reply.header('etag', etag)
  if (request.headers['if-none-match'] === etag) return reply.status(304).send()
  if (encoding === undefined) return reply.send(file.plain)
  return reply.header('content-encoding', encoding).send(file[encoding])
}

const accepts = (header: string, encoding: string) =>
  header.split(',').some((one) => one.trim().split(';')[0] === encoding && !/;\s*q=0(?:\.0*)?\s*$/.test(one))
