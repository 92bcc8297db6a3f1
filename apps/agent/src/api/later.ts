import * as gateway from '@longshore/contract/agent/gateway'
import { endpointsIn } from '@longshore/contract/endpoints-in'
import { Refusal } from '@longshore/kit/refusal'
import { type Route, route } from './route.ts'

/** Endpoints of the contract that this version only knows by name. Saying so is better than `not_found`. */
export const laterRoutes: readonly Route[] = Object.values(endpointsIn([gateway])).map((endpoint) =>
  route(endpoint, () => {
    throw new Refusal('not_built_yet')
  }),
)
