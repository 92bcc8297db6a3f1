import type { Endpoint } from '@longshore/contract/endpoint'
import type { FastifyInstance } from 'fastify'
import { Refusal } from '#refusal'
import { answerRefusal } from './errors.ts'

/** Answers which endpoints an address can mean, whatever the method. */
export function endpointFinder(endpoints: readonly Endpoint[]): (url: string) => readonly Endpoint[] {
  const patterns = endpoints.flatMap((endpoint) =>
    [endpoint.path, ...(endpoint.aliases ?? [])].map((path) => ({
      endpoint,
      pattern: new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/:[a-z_]+/g, '[^/]+')}$`),
    })),
  )
  return (url) => {
    const path = url.split('?')[0] ?? ''
    return patterns.filter(({ pattern }) => pattern.test(path)).map(({ endpoint }) => endpoint)
  }
}

/** A path that is not served is not found; one that is, by another method, says which would do. */
export function refuseUnknownPaths(app: FastifyInstance, endpointsAt: (url: string) => readonly Endpoint[]): void {
  app.setNotFoundHandler((request, reply) => {
    const allowed = [...new Set(endpointsAt(request.url).map(({ method }) => method))]
    if (allowed.length > 0) void reply.header('allow', allowed.join(', '))
    return reply.send(
      answerRefusal(request, reply, new Refusal(allowed.length > 0 ? 'method_not_allowed' : 'not_found')),
    )
  })
}
