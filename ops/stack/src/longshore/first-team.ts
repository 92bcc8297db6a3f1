import { randomBytes } from 'node:crypto'
import { createClient } from '@longshore/client/client'
import { setUp } from '@longshore/contract/cloud/account'
import { createApiKey } from '@longshore/contract/cloud/api-keys'
import { runScript } from './server-process.ts'

export interface FirstTeam {
  readonly team_id: string
  readonly owner: { readonly id: string; readonly email: string; readonly password: string }
  readonly user_token: string
  readonly api_key: string
}

/** Goes the way of a first-run operator: a setup link, the first Team and Owner, an API key. */
export async function makeFirstTeam(url: string, env: Readonly<Record<string, string>>): Promise<FirstTeam> {
  const { code, output } = await runScript('operate', env, ['setup-link'])
  const token = /#([\w-]+)/.exec(output)?.[1]
  if (code !== 0 || token === undefined) throw new Error(`There is no setup link: ${output}`)

  const client = createClient({ baseUrl: url })
  const password = randomBytes(12).toString('base64url')
  const signedIn = await client.call(setUp, {
    body: { token, team_name: 'Harbour Films', name: 'Olga Owner', email: 'owner@example.test', password },
  })
  const team = signedIn.teams[0]
  if (team === undefined) throw new Error('The setup made no Team.')
  const key = await client.call(
    createApiKey,
    { params: { team_id: team.id }, body: { name: 'first key', state: 'active' } },
    { credential: { userToken: signedIn.token } },
  )
  return {
    team_id: team.id,
    owner: { id: signedIn.user.id, email: signedIn.user.email, password },
    user_token: signedIn.token,
    api_key: key.key,
  }
}
