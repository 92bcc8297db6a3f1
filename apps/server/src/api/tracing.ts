import { context, propagation, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import type { FastifyInstance, FastifyRequest } from 'fastify'

/** A span per request. Costs next to nothing while no exporter is configured. */
export function addTracing(app: FastifyInstance): void {
  const tracer = trace.getTracer('longshore-api')
  const spans = new WeakMap<FastifyRequest, Span>()
  app.addHook('onRequest', (request, _reply, done) => {
    const parent = propagation.extract(context.active(), request.headers)
    const span = tracer.startSpan(
      `${request.method} ${request.routeOptions.url ?? 'unknown'}`,
      {
        kind: SpanKind.SERVER,
        attributes: { 'http.request.method': request.method, 'longshore.request_id': request.id },
      },
      parent,
    )
    spans.set(request, span)
    context.with(trace.setSpan(parent, span), done)
  })
  app.addHook('onResponse', async (request, reply) => {
    const span = spans.get(request)
    span?.setAttribute('http.response.status_code', reply.statusCode)
    if (reply.statusCode >= 500) span?.setStatus({ code: SpanStatusCode.ERROR })
    span?.end()
  })
}
