import { endpointsIn } from '#endpoints-in'
import * as automations from './automations.ts'
import * as downloads from './downloads.ts'
import * as events from './events.ts'
import * as gateway from './gateway.ts'
import * as session from './session.ts'
import * as settings from './settings.ts'
import * as system from './system.ts'
import * as uploads from './uploads.ts'

/** Every endpoint of the local agent by name, also those that are built later. */
export const agentEndpoints = endpointsIn([session, uploads, downloads, automations, gateway, settings, events, system])
