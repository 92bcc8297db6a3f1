import * as wire from '@longshore/contract/cloud/system'
import { defaultChunkSize, maxChunkCount, maxChunkSize, minChunkSize } from '@longshore/contract/limits'
import { route } from './route.ts'

export const systemRoutes = [
  route(wire.packageSpec, async () => ({
    max_chunk_count: maxChunkCount,
    max_chunk_size: maxChunkSize,
    min_chunk_size: minChunkSize,
    default_chunk_size: defaultChunkSize,
  })),
  route(wire.systemKeys, async (cx) => ({ keys: [...cx.signer.keys] })),
]
