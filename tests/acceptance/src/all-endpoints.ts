import { agentEndpoints } from '@longshore/contract/agent/endpoints'
import { cloudEndpoints } from '@longshore/contract/cloud/endpoints'
import type { Endpoint } from '@longshore/contract/endpoint'

/** Of both APIs; no name is in both. */
export const allEndpoints: readonly (readonly [string, Endpoint])[] = [
  ...Object.entries(cloudEndpoints),
  ...Object.entries(agentEndpoints),
]
