import { randomBytes } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { homeOf, readChoices } from '#cli/agent/home'

type Environment = Readonly<Record<string, string | undefined>>

/**
 * What the agent of this user is started with, where neither option nor environment says otherwise: the server that was
 * chosen at login, any free port, and a token, because other users of the machine reach that port too.
 */
export async function agentEnvironment(env: Environment): Promise<Environment> {
  const home = homeOf(env)
  const { cloud_url, api_key_file } = await readChoices(home)
  await mkdir(home.dataDir, { recursive: true, mode: 0o700 })
  await writeFile(home.tokenFile, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600, flag: 'wx' }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    },
  )
  return {
    LONGSHORE_CLOUD_URL: cloud_url,
    LONGSHORE_API_KEY_FILE: api_key_file,
    LONGSHORE_AGENT_LISTEN: '127.0.0.1:0',
    LONGSHORE_AGENT_TOKEN_FILE: home.tokenFile,
    LONGSHORE_DATA_DIR: home.dataDir,
    ...env,
  }
}
