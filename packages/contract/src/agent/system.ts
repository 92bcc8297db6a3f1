import { Type } from 'typebox'
import { endpoint } from '#endpoint'
import { Bytes, Time } from '#shapes'

export const agentStatus = endpoint({
  chapter: 'Agent',
  summary: 'What this agent is and how it was started',
  method: 'GET',
  path: '/api/v1/system/status',
  credential: 'agent',
  status: 200,
  reply: Type.Object({
    version: Type.String(),
    pid: Type.Integer(),
    started_at: Time,
    cloud_url: Type.String(),
    data_dir: Type.String(),
    chunk_size: Bytes,
    auto_finalize: Type.Boolean(),
    auto_resume: Type.Boolean(),
  }),
  refusals: [],
})

export const agentOpenApi = endpoint({
  chapter: 'Agent',
  summary: 'This API as an OpenAPI document',
  method: 'GET',
  path: '/api/v1/openapi.json',
  credential: 'agent',
  status: 200,
  reply: Type.Object({ openapi: Type.String() }),
  refusals: [],
})
