import { fileURLToPath } from 'node:url'

/** The server under test and how to get in, as the runner hands it over. */
export interface Target {
  readonly cloud_url: string
  readonly mail_url: string
  readonly storage_url: string
  /** Storage of somebody else, for cloud connections: one bucket that the server's store may copy into, and one not. */
  readonly elsewhere: {
    readonly endpoint: string
    readonly region: string
    readonly keys: { readonly access_key: string; readonly secret_key: string }
    readonly open: string
    readonly closed: string
  }
  /** The server's own environment: for the operator's command, and to mint tokens that no call issues. */
  readonly env: Readonly<Record<string, string>>
  readonly team_id: string
  readonly owner: { readonly id: string; readonly email: string; readonly password: string }
  readonly user_token: string
  readonly api_key: string
}

function readTarget(): Target {
  const text = process.env['LONGSHORE_TARGET']
  if (text === undefined) throw new Error('LONGSHORE_TARGET is not set. Run the suite by: npm test -- acceptance')
  return JSON.parse(text) as Target
}

export const target = readTarget()

/** What must not be missing in the server's environment. */
export function setting(name: string): string {
  const value = target.env[name]
  if (value === undefined) throw new Error(`The target's environment has no ${name}.`)
  return value
}

export const repository = fileURLToPath(new URL('../../..', import.meta.url))
