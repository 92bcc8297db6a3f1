import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import envPaths from 'env-paths'

/** Where the agent of this user keeps its things. All of it is for this user alone. */
export interface Home {
  readonly dataDir: string
  /** Where the running agent can be reached; see `Note`. */
  readonly note: string
  readonly tokenFile: string
  readonly logFile: string
  readonly choices: string
}

export function homeOf(env: Readonly<Record<string, string | undefined>>): Home {
  const dataDir = resolve(env['LONGSHORE_DATA_DIR'] ?? envPaths('longshore', { suffix: '' }).data)
  return {
    dataDir,
    note: join(dataDir, 'agent.json'),
    tokenFile: join(dataDir, 'token'),
    logFile: join(dataDir, 'agent.log'),
    choices: join(dataDir, 'choices.json'),
  }
}

/** What a running agent leaves in its home, so that commands find it. */
export interface Note {
  readonly url: string
  readonly pid: number
  readonly token_file?: string
}

export const readNote = (home: Home): Promise<Note | undefined> => readJson<Note>(home.note)

/** What was chosen by `longshore login` and holds for every start of the agent. */
export interface Choices {
  readonly cloud_url?: string
  readonly api_key_file?: string
}

export const readChoices = async (home: Home): Promise<Choices> => (await readJson<Choices>(home.choices)) ?? {}

export async function writeChoices(home: Home, choices: Choices): Promise<void> {
  await mkdir(home.dataDir, { recursive: true, mode: 0o700 })
  const draft = `${home.choices}.${process.pid}`
  await writeFile(draft, `${JSON.stringify(choices, null, 2)}\n`, { mode: 0o600 })
  await rename(draft, home.choices)
}

async function readJson<T>(file: string): Promise<T | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as T
  } catch (error) {
    // One that a loss of power cut short is as good as none: it is written anew by whoever starts an agent or signs in.
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** A path as people write it: `~/…` where it lies below their home. */
export function shownPath(path: string): string {
  const home = homedir()
  return path === home || path.startsWith(join(home, '/')) ? `~${path.slice(home.length)}` : path
}
