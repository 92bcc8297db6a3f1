import * as wire from '@longshore/contract/cloud/connections'
import { browseConnection } from '#domain/connections/browse'
import {
  createConnection,
  deleteConnection,
  listConnections,
  readConnection,
  rotateGatewaySecret,
  updateConnection,
} from '#domain/connections/connections'
import { tryConnection } from '#domain/connections/try-connection'
import { cancelTransfer, listTransfers, readTransfer, retryTransfer } from '#domain/transfers/control-transfer'
import { startTransfer } from '#domain/transfers/start-transfer'
import { route } from './route.ts'

export const connectionRoutes = [
  route(wire.createConnection, (cx, { caller, params, body, once }) =>
    createConnection(cx, caller, params.team_id, body, once),
  ),
  route(wire.listConnections, (cx, { caller, params }) => listConnections(cx, caller, params.team_id)),
  route(wire.readConnection, (cx, { caller, params }) => readConnection(cx, caller, params.cloud_connection_id)),
  route(wire.updateConnection, (cx, { caller, params, body }) =>
    updateConnection(cx, caller, params.cloud_connection_id, body),
  ),
  route(wire.deleteConnection, (cx, { caller, params }) => deleteConnection(cx, caller, params.cloud_connection_id)),
  route(wire.rotateGatewaySecret, (cx, { caller, params }) =>
    rotateGatewaySecret(cx, caller, params.cloud_connection_id),
  ),
  route(wire.testConnection, (cx, { caller, params }) => tryConnection(cx, caller, params.cloud_connection_id)),
  route(wire.listConnectionFiles, (cx, { caller, params, query }) =>
    browseConnection(cx, caller, params.cloud_connection_id, query),
  ),
  route(wire.startTransfer, (cx, { caller, params, body, once }) =>
    startTransfer(cx, caller, params.package_id, body, once),
  ),
  route(wire.listTransfers, (cx, { caller, params }) => listTransfers(cx, caller, params.package_id)),
  route(wire.readTransfer, (cx, { caller, params }) => readTransfer(cx, caller, params.transfer_id)),
  route(wire.retryTransfer, (cx, { caller, params }) => retryTransfer(cx, caller, params.transfer_id)),
  route(wire.cancelTransfer, (cx, { caller, params }) => cancelTransfer(cx, caller, params.transfer_id)),
]
