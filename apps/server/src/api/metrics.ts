import { answerRefusal } from '@longshore/kit/door/errors'
import { sameSecret } from '@longshore/kit/secrets'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { collectDefaultMetrics, Histogram, Registry } from 'prom-client'
import { Refusal } from '#domain/refusal'

/** `/metrics` in Prometheus' format: for this machine only, or for whoever has the operator's token. */
export function addMetrics(app: FastifyInstance, token: string) {
  const registry = new Registry()
  // Every 10 ms, as is its default, the monitor alone would cost more than the calls of a large upload.
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 100 })
  const requests = new Histogram({
    name: 'longshore_request_seconds',
    help: 'Time to answer a request',
    labelNames: ['method', 'route', 'status'] as const,
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  })
  app.get('/metrics', { schema: { hide: true } }, async (request, reply) => {
    if (!mayRead(request, token)) return reply.send(answerRefusal(request, reply, new Refusal('not_found')))
    return reply.type(registry.contentType).send(await registry.metrics())
  })
  return {
    observe(method: string, route: string, status: number, milliseconds: number) {
      requests.observe({ method, route, status }, milliseconds / 1000)
    },
  }
}

function mayRead(request: FastifyRequest, token: string): boolean {
  if (token !== '') return sameSecret(request.headers.authorization ?? '', `Bearer ${token}`)
  const direct = request.headers['x-forwarded-for'] === undefined && request.headers.forwarded === undefined
  return direct && ['127.0.0.1', '::1', '::ffff:127.0.0.1'].includes(request.ip)
}
