import * as wire from '@longshore/contract/agent/session'
import { done, route } from './route.ts'

export const sessionRoutes = [
  route(wire.login, ({ session }, { body }) => session.signIn(body.email, body.password)),
  route(wire.readSession, ({ session }) => session.read()),
  route(wire.checkSession, async ({ session }) => {
    await session.read()
    return undefined
  }),
  route(wire.logout, ({ session }) => {
    session.signOut()
    return done
  }),
  route(wire.listTeams, async ({ session }) => (await session.read()).teams),
]
