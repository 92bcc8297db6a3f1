import type { Role } from '@longshore/contract/endpoint'

const roles = {
  managePortals: ['owner', 'admin'],
  manageMembers: ['owner', 'admin'],
  manageSettings: ['owner', 'admin'],
  archiveMany: ['owner', 'admin'],
  manageWebhooks: ['owner', 'admin', 'integration_manager'],
  manageConnections: ['owner', 'admin', 'integration_manager'],
  manageKeys: ['owner', 'admin', 'integration_manager'],
  seeUsage: ['owner', 'admin', 'integration_manager'],
  deleteTags: ['owner', 'admin', 'integration_manager'],
} as const satisfies Record<string, readonly Role[]>

export type Deed = keyof typeof roles

/** Whether to offer something at all. The server decides; this only spares people a refusal. */
export const may = (role: Role, deed: Deed): boolean => (roles[deed] as readonly Role[]).includes(role)
