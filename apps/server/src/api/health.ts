import type { FastifyInstance } from 'fastify'
import type { Cx } from '#domain/cx'
import { readiness } from '#domain/readiness'

/** `/healthz`: this process runs. `/readyz`: what it stands on answers too. */
export function addHealth(app: FastifyInstance, cx: Cx): void {
  app.get('/healthz', { schema: { hide: true } }, async () => ({ status: 'ok' }))
  app.get('/readyz', { schema: { hide: true } }, async (_request, reply) => {
    const state = await readiness(cx)
    return reply.status(state.ready ? 200 : 503).send(state)
  })
}
