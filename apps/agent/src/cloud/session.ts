import type { CallerCredential, Client } from '@longshore/client/client'
import { signIn, whoAmI } from '@longshore/contract/cloud/account'
import { readTeamSettings } from '@longshore/contract/cloud/team'
import type { ReplyOf } from '@longshore/contract/endpoint'
import type { readSession } from '@longshore/contract/agent/session'
import { askAsUser, noSession } from './ask.ts'

type SessionObject = ReplyOf<typeof readSession>

/** Who the agent is to the cloud. */
export interface Session {
  /** Refuses without one. Whether the credential is still good shows only when it is used. */
  readonly credential: () => CallerCredential
  /** Asks the cloud. */
  readonly read: () => Promise<SessionObject>
  readonly signIn: (email: string, password: string) => Promise<SessionObject>
  readonly signOut: () => void
}

/** Where the token of somebody who signed in is kept. */
export interface TokenStore {
  readonly read: () => string | undefined
  readonly save: (token: string) => void
  readonly forget: () => void
}

export function createSession(client: Client, tokens: TokenStore, apiKey: string | undefined): Session {
  // Whoever starts an agent with a key means that key, whoever signed in before.
  if (apiKey !== undefined) tokens.forget()

  const credential = (): CallerCredential => {
    const userToken = tokens.read()
    if (userToken !== undefined) return { userToken }
    if (apiKey === undefined) throw noSession()
    return { apiKey }
  }

  const read = async (): Promise<SessionObject> => {
    const by = { credential: credential() }
    const { user, teams } = await askAsUser((signal) => client.call(whoAmI, {}, { ...by, signal }))
    return {
      user: { id: user.id, name: user.name },
      teams: await Promise.all(
        teams.map(async ({ id, name, subdomain }) => {
          const params = { team_id: id }
          const settings = await askAsUser((signal) => client.call(readTeamSettings, { params }, { ...by, signal }))
          const { unlimited_storage_allowed: _, ...shown } = settings
          return { id, name, subdomain, ...shown }
        }),
      ),
    }
  }

  return {
    credential,
    read,
    signIn: async (email, password) => {
      const body = { email, password }
      const { token } = await askAsUser((signal) => client.call(signIn, { body }, { credential: undefined, signal }))
      tokens.save(token)
      return read()
    },
    signOut: tokens.forget,
  }
}
