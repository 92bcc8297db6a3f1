import { errors } from '@longshore/contract/errors'
import { type Credential, type Endpoint, refusalsOf } from '@longshore/contract/endpoint'
import type { FastifySchema } from 'fastify'

const securityOf: Readonly<Record<Credential, readonly Record<string, readonly string[]>[]>> = {
  none: [],
  user: [{ apiKey: [] }, { userToken: [] }],
  'user-token': [{ userToken: [] }],
  'package-token': [{ packageToken: [] }],
  'transfer-token': [{ transferToken: [] }],
  'access-code': [{ accessCode: [] }, {}],
  'user-or-access-code': [{ apiKey: [] }, { userToken: [] }, { accessCode: [] }],
  link: [{ linkPassword: [] }, {}],
  agent: [{ agentToken: [] }, {}],
  'agent-session': [{ agentToken: [] }, {}],
}

const errorBody = {
  type: 'object',
  required: ['code', 'error', 'message', 'request_id'],
  properties: {
    code: { type: 'integer' },
    error: { type: 'string' },
    message: { type: 'string' },
    details: {
      type: 'array',
      items: {
        type: 'object',
        required: ['field', 'reason'],
        properties: { field: { type: 'string' }, reason: { type: 'string' } },
      },
    },
    request_id: { type: 'string' },
  },
}

/** An endpoint of the contract, in the words that the OpenAPI generator reads. */
export function openApiSchema(name: string, endpoint: Endpoint): FastifySchema {
  const refusals = Map.groupBy(refusalsOf(endpoint), (refusal) => errors[refusal].status)
  const notes = [
    endpoint.description,
    endpoint.roles === undefined ? undefined : `Roles: ${endpoint.roles.join(', ')}.`,
    endpoint.levels === undefined ? undefined : `Token levels: ${endpoint.levels.join(', ')}.`,
    endpoint.idempotent === true ? 'Takes an Idempotency-Key.' : undefined,
  ].filter((note) => note !== undefined)
  return {
    operationId: name,
    summary: endpoint.summary,
    description: notes.join('\n\n'),
    tags: [endpoint.chapter],
    security: securityOf[endpoint.credential],
    ...(endpoint.params === undefined ? {} : { params: endpoint.params }),
    ...(endpoint.query === undefined ? {} : { querystring: endpoint.query }),
    ...(endpoint.body === undefined ? {} : { body: endpoint.body }),
    response: {
      [endpoint.status]:
        endpoint.reply === undefined
          ? { description: 'Done.', type: 'null' }
          : { description: 'Done.', ...endpoint.reply },
      ...Object.fromEntries(
        [...refusals].map(([status, names]) => [status, { description: names.join(', '), ...errorBody }]),
      ),
    },
  }
}
