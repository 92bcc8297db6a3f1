import { followTransfers } from '@longshore/contract/agent/events'
import { EventStream } from '@longshore/kit/door/stream'
import { route } from './route.ts'

export const eventRoutes = [
  route(followTransfers, ({ transfers }, { lastEventId }) => new EventStream(transfers.feed.follow(lastEventId))),
]
