import type { Viewer } from '#store/visibility'
import type { Member } from './authorize.ts'

/** How a member looks at the Team's Portals and packages. What they may not see is absent, also from totals. */
export const viewerOf = ({ membershipId, role }: Member): Viewer => ({ membershipId, seesAll: role !== 'member' })
