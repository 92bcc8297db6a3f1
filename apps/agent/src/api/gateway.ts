import * as wire from '@longshore/contract/agent/gateway'
import { done, route } from './route.ts'

export const gatewayRoutes = [
  route(wire.registerGateway, ({ gateways }, { body }) => gateways.register(body)),
  route(wire.listGateways, ({ gateways }) => gateways.list()),
  route(wire.unregisterGateway, async ({ gateways }, { body }) => {
    await gateways.unregister(body.id)
    return done
  }),
  route(wire.updateGateway, ({ gateways }, { body }) => gateways.update(body)),
]
