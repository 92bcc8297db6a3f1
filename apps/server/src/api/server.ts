import cors from '@fastify/cors'
import helmet from '@fastify/helmet'
import swagger from '@fastify/swagger'
import { cloudEndpoints } from '@longshore/contract/cloud/endpoints'
import type { Endpoint } from '@longshore/contract/endpoint'
import { answerRefusal } from '@longshore/kit/door/errors'
import { eventStreams } from '@longshore/kit/door/event-streams'
import { acceptJson } from '@longshore/kit/door/json-body'
import { openApiSchema } from '@longshore/kit/door/openapi'
import { EventStream } from '@longshore/kit/door/stream'
import { endpointFinder, refuseUnknownPaths } from '@longshore/kit/door/unknown-paths'
import { validators } from '@longshore/kit/door/validation'
import { newId } from '@longshore/kit/ids'
import apiReference from '@scalar/fastify-api-reference'
import { fastify, type FastifyInstance, type FastifyRequest } from 'fastify'
import { type Caller, callerName, creditedTo } from '#domain/access/caller'
import type { Cx } from '#domain/cx'
import { Refusal } from '#domain/refusal'
import { accountRoutes } from './account.ts'
import { apiKeyRoutes } from './api-keys.ts'
import { addArchives, archivePath } from './archives.ts'
import { asRefusal } from './errors.ts'
import { fileRoutes } from './files.ts'
import { formRoutes } from './forms.ts'
import { addHealth } from './health.ts'
import { linkRoutes } from './links.ts'
import { addMetrics } from './metrics.ts'
import { document } from './openapi.ts'
import { packageRoutes } from './packages.ts'
import { addPages } from './pages.ts'
import { portalRoutes } from './portals.ts'
import { realtimeRoutes } from './realtime.ts'
import { idempotencyOf } from './repeats.ts'
import { type Call, JsonText, type Route } from './route.ts'
import { sendPieces } from './send-pieces.ts'
import { spaceRoutes } from './spaces.ts'
import { systemRoutes } from './system.ts'
import { tagRoutes } from './tags.ts'
import { teamRoutes } from './team.ts'
import { addTracing } from './tracing.ts'
import { webhookRoutes } from './webhooks.ts'
import { decodedHeader, whoCalls } from './who.ts'

const routes: readonly Route[] = [
  ...systemRoutes,
  ...accountRoutes,
  ...apiKeyRoutes,
  ...packageRoutes,
  ...fileRoutes,
  ...linkRoutes,
  ...tagRoutes,
  ...teamRoutes,
  ...spaceRoutes,
  ...webhookRoutes,
  ...portalRoutes,
  ...formRoutes,
  ...realtimeRoutes,
]

const names = new Map(Object.entries(cloudEndpoints).map(([name, endpoint]) => [endpoint, name]))

/** Endpoints that are served, by their names in the contract. */
export const servedNames: readonly string[] = routes.map((route) => names.get(route.endpoint) ?? route.endpoint.path)

const defaultBodyLimit = 64 * 1024

export interface ServerOptions {
  readonly trustedProxies: readonly string[]
  readonly allowedOrigins: readonly string[]
  readonly metricsToken: string
}

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller
  }
}

/** The HTTP server: everything of the contract that is built, its document and reference, health and figures. */
export async function createServer(cx: Cx, options: ServerOptions): Promise<FastifyInstance> {
  const app = fastify({
    logger: false,
    genReqId: () => newId(),
    trustProxy: options.trustedProxies.length === 0 ? false : [...options.trustedProxies],
    bodyLimit: defaultBodyLimit,
    // Bodies of the API have a few MiB at most. Whoever takes longer holds a socket for nothing.
    requestTimeout: 60_000,
    http: { headersTimeout: 10_000 },
    keepAliveTimeout: 72_000,
    routerOptions: { maxParamLength: 128 },
    return503OnClosing: true,
  })
  app.decorateRequest('caller')

  acceptJson(app)
  // The generator reads our schemas from the routes; checking and writing JSON is ours.
  app.setValidatorCompiler(() => () => true)
  app.setSerializerCompiler(() => JSON.stringify)

  app.addHook('onRequest', async (request, reply) => {
    void reply.header('x-request-id', request.id).header('cache-control', 'no-store')
  })
  addTracing(app)
  const figures = addMetrics(app, options.metricsToken)
  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'unknown'
    figures.observe(request.method, route, reply.statusCode, reply.elapsedTime)
    cx.log.info(
      {
        request_id: request.id,
        method: request.method,
        route,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 10) / 10,
        address: request.ip,
        caller: callerName(request.caller ?? { kind: 'anonymous' }, request.ip),
      },
      'request',
    )
  })

  await app.register(helmet, {
    contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
    crossOriginResourcePolicy: { policy: 'cross-origin' },
    referrerPolicy: { policy: 'no-referrer' },
    xFrameOptions: { action: 'deny' },
  })
  await app.register(cors, {
    // Only browsers say where they come from; all others need no rule looked up.
    delegator: (request, done) =>
      done(null, request.headers.origin === undefined ? { origin: false } : corsFor(request, options.allowedOrigins)),
    strictPreflight: false,
  })
  await app.register(swagger, { openapi: document(cx.settings.publicUrl) })

  app.setErrorHandler((error, request, reply) => {
    const refusal = asRefusal(error)
    if (refusal.code === 'internal_error' || refusal.code === 'overloaded' || refusal.code === 'storage_unavailable') {
      cx.log.error({ request_id: request.id, route: request.routeOptions.url, err: refusal.cause }, 'request failed')
    }
    return reply.send(answerRefusal(request, reply, refusal))
  })
  refuseUnknownPaths(app, endpointsAt)

  const streams = eventStreams(app)
  for (const route of routes) addRoute(app, cx, route, streams)
  addArchives(app, cx, (request) => countCall(cx, request, () => {}))
  addHealth(app, cx)
  addPages(app)
  app.get('/openapi.json', { schema: { hide: true } }, () => app.swagger())
  await app.register(apiReference, {
    routePrefix: '/reference',
    hooks: {
      onRequest: (_request, reply, done) => {
        void reply.header('content-security-policy', referencePolicy).header('cache-control', 'public, max-age=300')
        done()
      },
    },
    // Nothing of its vendor's: no telemetry, fonts, assistants or services behind a button.
    configuration: {
      url: '/openapi.json',
      telemetry: false,
      withDefaultFonts: false,
      hideClientButton: true,
      showDeveloperTools: 'never',
      agent: { disabled: true },
      mcp: { disabled: true },
    },
  })
  await app.ready()
  return app
}

// The reference page starts by a script inside it and styles itself; it may talk to nobody but us.
const referencePolicy =
  "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; font-src 'self' data:; img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'"

function addRoute(
  app: FastifyInstance,
  cx: Cx,
  { endpoint, handle }: Route,
  streams: ReturnType<typeof eventStreams>,
): void {
  const check = validators(endpoint)
  for (const [index, url] of [endpoint.path, ...(endpoint.aliases ?? [])].entries()) {
    app.route({
      method: endpoint.method,
      url,
      bodyLimit: endpoint.bodyLimit ?? defaultBodyLimit,
      // HEAD would do all that GET does: ask for a file's address, which counts as an access, or begin a stream.
      exposeHeadRoute: false,
      schema: {
        ...openApiSchema(names.get(endpoint) ?? endpoint.path, endpoint),
        ...(index === 0 ? {} : { hide: true }),
      },
      onRequest: async (request, reply) => {
        request.caller = await identified(cx, endpoint, request)
        await countCall(cx, request, (name, value) => void reply.header(name, value))
      },
      handler: async (request, reply) => {
        const call = {
          params: check.params?.(request.params),
          query: check.query?.(request.query),
          body: check.body?.(request.body),
          caller: request.caller,
          address: request.ip,
          once: idempotencyOf(endpoint, request),
          linkPassword: decodedHeader(request.headers['x-link-password']),
          accessCode: decodedHeader(request.headers['x-access-code']),
          lastEventId: lastEventIdOf(request),
          identifyAgain: () => whoCalls(cx, endpoint.credential, request.raw),
        } as Call<Endpoint>
        const answer = await handle(cx, call)
        void reply.status(endpoint.status)
        if (answer instanceof EventStream) return streams.send(reply, answer.stream)
        if (!(answer instanceof JsonText)) return answer === undefined ? reply.send() : answer
        void reply.type('application/json; charset=utf-8')
        if (typeof answer.text === 'string') return answer.text
        await sendPieces(cx, reply, answer.text)
        return reply
      },
    })
  }
}

/** A browser that has heard nothing yet sends an empty one. */
function lastEventIdOf({ headers }: FastifyRequest): string | undefined {
  const id = headers['last-event-id']
  return typeof id === 'string' && id !== '' ? id : undefined
}

/** Wrong credentials are counted by address, so that trying them is limited too. */
async function identified(cx: Cx, endpoint: Endpoint, request: FastifyRequest): Promise<Caller> {
  try {
    return await whoCalls(cx, endpoint.credential, request.raw)
  } catch (error) {
    request.caller = { kind: 'anonymous' }
    await countCall(cx, request, () => {})
    throw error
  }
}

async function countCall(
  cx: Cx,
  request: FastifyRequest,
  setHeader: (name: string, value: string) => void,
): Promise<void> {
  const allowance = await cx.limiter.call(creditedTo(request.caller, request.ip))
  if (allowance === undefined) return
  setHeader('ratelimit-limit', String(allowance.limit))
  setHeader('ratelimit-remaining', String(allowance.remaining))
  setHeader('ratelimit-reset', String(allowance.resetSeconds))
  if (!allowance.allowed) {
    throw new Refusal('rate_limited', `Too many calls. Wait ${allowance.resetSeconds} seconds.`, {
      retryAfterSeconds: allowance.resetSeconds,
    })
  }
}

const endpointsAt = endpointFinder(routes.map(({ endpoint }) => endpoint))

const ofRanges = ['Accept-Ranges', 'Content-Disposition', 'Content-Length', 'Content-Range', 'ETag']

const exposedHeaders = ['X-Request-Id', 'Retry-After', 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset']

/**
 * Every page may call what needs no credential of a person: links and Portals are opened by strangers. All else is for
 * the origins that the operator lists. There are no cookies, so nothing is ever sent along by itself.
 */
function corsFor({ method, url, headers }: FastifyRequest, allowedOrigins: readonly string[]) {
  const meant = method === 'OPTIONS' ? headers['access-control-request-method'] : method
  const here = endpointsAt(url).filter((endpoint) => endpoint.method === meant)
  // Addresses of archives are like those of the store: any page may use one that it has.
  const isArchive = url.startsWith(archivePath)
  const open = here.length > 0 && here.every((endpoint) => publicCredentials.has(endpoint.credential))
  return {
    origin: open || isArchive ? '*' : [...allowedOrigins],
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'],
    exposedHeaders: isArchive ? [...exposedHeaders, ...ofRanges] : exposedHeaders,
    maxAge: 600,
  }
}

const publicCredentials = new Set(['none', 'link', 'access-code', 'user-or-access-code'])
