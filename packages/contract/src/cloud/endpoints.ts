import { endpointsIn } from '#endpoints-in'
import * as account from './account.ts'
import * as apiKeys from './api-keys.ts'
import * as connections from './connections.ts'
import * as files from './files.ts'
import * as forms from './forms.ts'
import * as links from './links.ts'
import * as packages from './packages.ts'
import * as portals from './portals.ts'
import * as realtime from './realtime.ts'
import * as spaces from './spaces.ts'
import * as system from './system.ts'
import * as tags from './tags.ts'
import * as team from './team.ts'
import * as usage from './usage.ts'
import * as webhooks from './webhooks.ts'

/** Every endpoint of the cloud API by name, also those that are built later. */
export const cloudEndpoints = endpointsIn([
  system,
  account,
  apiKeys,
  team,
  usage,
  tags,
  packages,
  files,
  links,
  portals,
  forms,
  spaces,
  webhooks,
  connections,
  realtime,
])
