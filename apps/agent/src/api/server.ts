import swagger from '@fastify/swagger'
import { agentEndpoints } from '@longshore/contract/agent/endpoints'
import { agentOpenApi } from '@longshore/contract/agent/system'
import { answerRefusal, refusalOfFastify } from '@longshore/kit/door/errors'
import { eventStreams } from '@longshore/kit/door/event-streams'
import { repeatableOf } from '@longshore/kit/door/idempotency-key'
import { acceptJson } from '@longshore/kit/door/json-body'
import { openApiSchema } from '@longshore/kit/door/openapi'
import { EventStream } from '@longshore/kit/door/stream'
import { endpointFinder, refuseUnknownPaths } from '@longshore/kit/door/unknown-paths'
import { validators } from '@longshore/kit/door/validation'
import { newId } from '@longshore/kit/ids'
import type { Log } from '@longshore/kit/log'
import { Refusal } from '@longshore/kit/refusal'
import { type FastifyInstance, fastify } from 'fastify'
import { automationRoutes } from './automations.ts'
import { downloadRoutes } from './downloads.ts'
import { eventRoutes } from './events.ts'
import { gatewayRoutes } from './gateway.ts'
import type { Agent, Route } from './route.ts'
import { admit, type Safety } from './safety.ts'
import { sessionRoutes } from './session.ts'
import { settingRoutes } from './settings.ts'
import { systemRoutes } from './system.ts'
import { uploadRoutes } from './uploads.ts'

const routes: readonly Route[] = [
  ...sessionRoutes,
  ...uploadRoutes,
  ...downloadRoutes,
  ...automationRoutes,
  ...gatewayRoutes,
  ...settingRoutes,
  ...eventRoutes,
  ...systemRoutes,
]

const names = new Map(Object.entries(agentEndpoints).map(([name, endpoint]) => [endpoint, name]))

/** Endpoints that answer, by their names in the contract. */
export const servedNames: readonly string[] = [...routes.map(({ endpoint }) => endpoint), agentOpenApi].map(
  (endpoint) => names.get(endpoint) ?? endpoint.path,
)

const defaultBodyLimit = 64 * 1024

/** The agent's HTTP API. */
export async function createServer(agent: Agent, safety: Safety, log: Log): Promise<FastifyInstance> {
  const app = fastify({
    logger: false,
    genReqId: () => newId(),
    bodyLimit: defaultBodyLimit,
    requestTimeout: 60_000,
    http: { headersTimeout: 10_000 },
    // Longer than any that a schema takes, so that it is the schema that refuses it.
    routerOptions: { maxParamLength: 1_024 },
    return503OnClosing: true,
  })
  acceptJson(app)
  // The generator reads our schemas from the routes; checking and writing JSON is ours.
  app.setValidatorCompiler(() => () => true)
  app.setSerializerCompiler(() => JSON.stringify)

  app.addHook('onRequest', async (request, reply) => {
    void reply
      .header('x-request-id', request.id)
      .header('cache-control', 'no-store')
      .header('x-content-type-options', 'nosniff')
      .header('cross-origin-resource-policy', 'same-origin')
      .header('content-security-policy', "default-src 'none'; frame-ancestors 'none'")
    admit(request.raw, safety)
  })
  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'unknown'
    const ms = Math.round(reply.elapsedTime * 10) / 10
    log.info({ request_id: request.id, method: request.method, route, status: reply.statusCode, ms }, 'request')
  })
  app.setErrorHandler((error, request, reply) => {
    const refusal = asRefusal(error)
    if (refusal.code === 'internal_error') {
      log.error({ request_id: request.id, route: request.routeOptions.url, err: refusal.cause }, 'request failed')
    }
    return reply.send(answerRefusal(request, reply, refusal))
  })
  refuseUnknownPaths(app, endpointsAt)
  await app.register(swagger, { openapi: document(agent.about.version), exposeHeadRoutes: true })

  const streams = eventStreams(app)
  for (const route of routes) addRoute(app, agent, route, streams)
  app.get(agentOpenApi.path, { schema: openApiSchema('agentOpenApi', agentOpenApi) }, () => app.swagger())
  await app.ready()
  return app
}

const asRefusal = (error: unknown): Refusal =>
  error instanceof Refusal
    ? error
    : (refusalOfFastify(error) ?? new Refusal('internal_error', undefined, { cause: error }))

function addRoute(
  app: FastifyInstance,
  agent: Agent,
  { endpoint, handle }: Route,
  streams: ReturnType<typeof eventStreams>,
): void {
  const check = validators(endpoint)
  app.route({
    method: endpoint.method,
    url: endpoint.path,
    bodyLimit: endpoint.bodyLimit ?? defaultBodyLimit,
    // Where the API has HEAD, it is an endpoint of its own.
    exposeHeadRoute: false,
    schema: openApiSchema(names.get(endpoint) ?? endpoint.path, endpoint),
    onRequest: async () => {
      if (endpoint.credential === 'agent-session') agent.session.credential()
    },
    handler: async (request, reply) => {
      const last = request.headers['last-event-id']
      const given = {
        params: check.params?.(request.params),
        query: check.query?.(request.query),
        body: check.body?.(request.body),
        lastEventId: typeof last === 'string' && last !== '' ? last : undefined,
      }
      const answer = await agent.repeats(repeatableOf(endpoint, request), (id) => handle(agent, { ...given, id }))
      void reply.status(endpoint.status)
      if (answer instanceof EventStream) return streams.send(reply, answer.stream)
      return answer === undefined ? reply.send() : answer
    },
  })
}

const endpointsAt = endpointFinder([...routes.map(({ endpoint }) => endpoint), agentOpenApi])

const document = (version: string) => ({
  openapi: '3.1.0' as const,
  info: {
    title: 'Longshore agent API',
    version,
    description: 'Moves files between this machine and Longshore, in the background.',
    license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
  },
  components: {
    securitySchemes: {
      agentToken: {
        type: 'http' as const,
        scheme: 'bearer',
        description: 'Only where the agent was started with a token file.',
      },
    },
  },
})
