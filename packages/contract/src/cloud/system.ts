import { Type } from 'typebox'
import { endpoint } from '#endpoint'
import { Bytes, Count } from '#shapes'

export const packageSpec = endpoint({
  chapter: 'System',
  summary: 'Chunk limits of uploads',
  method: 'GET',
  path: '/v1/system/packages/spec',
  credential: 'none',
  status: 200,
  reply: Type.Object({
    max_chunk_count: Count,
    max_chunk_size: Bytes,
    min_chunk_size: Bytes,
    default_chunk_size: Bytes,
  }),
  refusals: [],
})

export const systemKeys = endpoint({
  chapter: 'System',
  summary: 'Public keys that sign waybills',
  method: 'GET',
  path: '/v1/system/keys',
  credential: 'none',
  status: 200,
  reply: Type.Object({
    keys: Type.Array(
      Type.Object({
        kty: Type.Literal('OKP'),
        crv: Type.Literal('Ed25519'),
        kid: Type.String(),
        x: Type.String(),
        use: Type.Literal('sig'),
        alg: Type.Literal('EdDSA'),
      }),
    ),
  }),
  refusals: [],
})
