import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

export interface WebAppOptions {
  /** The build of `apps/web`. */
  readonly folder: string
  /** Where browsers send and fetch the bytes of files. */
  readonly storageOrigin: string
}

/** Which page of the build answers at which address. */
const doors = [
  { page: 'console.html', urls: ['/console', '/console/*', '/setup', '/invitation', '/confirm-email'] },
] as const

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
export function addWebApp(app: FastifyInstance, { folder, storageOrigin }: WebAppOptions): boolean {
  if (!existsSync(join(folder, 'console.html'))) return false
  const policy = policyFor(storageOrigin)
  const hidden = { schema: { hide: true } }

  for (const { page, urls } of doors) {
    const file = readBuilt(folder, page)
    for (const url of urls) {
      app.get(url, hidden, (request, reply) =>
        // Names of the files it loads change with each build, so that an old page would ask for what is gone.
        send(request, reply.header('content-security-policy', policy).header('cache-control', 'no-cache'), file),
      )
    }
  }
  for (const name of globSync('assets/*', { cwd: folder }).filter((name) => !/\.(?:gz|br)$/.test(name))) {
    const file = readBuilt(folder, name)
    app.get(`/${name}`, hidden, (request, reply) =>
      send(request, reply.header('cache-control', 'public, max-age=31536000, immutable'), file),
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
