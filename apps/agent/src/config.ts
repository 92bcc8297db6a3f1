import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { defaultChunkSize, maxChunkSize, maxFileSize, minChunkSize, TiB } from '@longshore/contract/limits'
import envPaths from 'env-paths'
import { isLoopback } from '#api/safety'

interface Option {
  /** The environment variable that says the same. An option given on the command line goes first. */
  readonly env: string
  readonly description: string
  readonly byDefault?: string
}

/** Everything an agent is started with. docs/operate/agent.md is written from it. */
export const options = {
  'cloud-url': {
    env: 'LONGSHORE_CLOUD_URL',
    description: 'The Longshore server, for example https://transfer.example.com.',
  },
  'api-key': {
    env: 'LONGSHORE_API_KEY',
    description: 'API key to work with. Other users of the machine can read a command line: better the next one.',
    byDefault: '',
  },
  'api-key-file': { env: 'LONGSHORE_API_KEY_FILE', description: 'File that the API key is read from.', byDefault: '' },
  listen: {
    env: 'LONGSHORE_AGENT_LISTEN',
    description: 'Address and port of the API; port 0 for any that is free. Beyond loopback only with a token file.',
    byDefault: '127.0.0.1:7070',
  },
  'data-dir': {
    env: 'LONGSHORE_DATA_DIR',
    description: 'Folder for what the agent remembers, for its user alone. Empty: where the system keeps such things.',
    byDefault: '',
  },
  'chunk-size': {
    env: 'LONGSHORE_AGENT_CHUNK_SIZE',
    description: 'Bytes of a chunk, for uploads that do not say.',
    byDefault: String(defaultChunkSize),
  },
  'auto-finalize': {
    env: 'LONGSHORE_AGENT_AUTO_FINALIZE',
    description: 'Send a package as soon as all its files are up: true or false.',
    byDefault: 'true',
  },
  'auto-resume': {
    env: 'LONGSHORE_AGENT_AUTO_RESUME',
    description: 'Go on with unfinished transfers at the start; otherwise they are paused: true or false.',
    byDefault: 'true',
  },
  'largest-stream': {
    env: 'LONGSHORE_AGENT_LARGEST_STREAM',
    description:
      'Bytes that a file may grow to while it is sent. Chunks are cut for it; a larger file is begun anew in larger ones.',
    byDefault: String(TiB),
  },
  'minute-ms': {
    env: 'LONGSHORE_AGENT_MINUTE_MS',
    description: 'Milliseconds of a minute in the timeouts of automations. Less than 60000 is for trials.',
    byDefault: '60000',
  },
  'token-file': {
    env: 'LONGSHORE_AGENT_TOKEN_FILE',
    description: 'File with a token that every caller of the API must show.',
    byDefault: '',
  },
  'log-level': {
    env: 'LONGSHORE_AGENT_LOG_LEVEL',
    description: 'trace, debug, info, warn, error or silent.',
    byDefault: 'info',
  },
} as const satisfies Record<string, Option>

type Name = keyof typeof options
const names = Object.keys(options) as Name[]

export interface AgentConfig {
  readonly cloudUrl: string
  readonly apiKey: string | undefined
  readonly host: string
  readonly port: number
  readonly dataDir: string
  readonly chunkSize: number
  readonly autoFinalize: boolean
  readonly autoResume: boolean
  readonly largestStream: number
  readonly minuteMs: number
  readonly tokenFile: string | undefined
  readonly token: string | undefined
  readonly logLevel: string
}

/** Reads options and environment. What is missing or wrong stops the program, in a sentence. */
export function readConfig(args: readonly string[], env: NodeJS.ProcessEnv): AgentConfig {
  const given = textOf(args, env)
  const { host, port } = readListen(given.listen)
  const token = given['token-file'] === '' ? undefined : secretIn('token-file', given['token-file'])
  if (token === undefined && !isLoopback(host)) {
    throw new Error(`--listen ${given.listen} can be reached from other machines. Give a --token-file as well.`)
  }
  return {
    cloudUrl: readUrl(given['cloud-url']),
    apiKey: readKey(given),
    host,
    port,
    dataDir: resolve(given['data-dir'] === '' ? envPaths('longshore', { suffix: '' }).data : given['data-dir']),
    chunkSize: readWhole('chunk-size', given['chunk-size'], minChunkSize, maxChunkSize),
    autoFinalize: readBoolean('auto-finalize', given['auto-finalize']),
    autoResume: readBoolean('auto-resume', given['auto-resume']),
    largestStream: readWhole('largest-stream', given['largest-stream'], minChunkSize, maxFileSize),
    minuteMs: readWhole('minute-ms', given['minute-ms'], 100, 60_000),
    tokenFile: given['token-file'] === '' ? undefined : resolve(given['token-file']),
    token,
    logLevel: given['log-level'],
  }
}

function textOf(args: readonly string[], env: NodeJS.ProcessEnv): Record<Name, string> {
  const { values } = parseArgs({
    args: [...args],
    options: Object.fromEntries(names.map((name) => [name, { type: 'string' as const }])),
  })
  return Object.fromEntries(
    names.map((name) => {
      const option: Option = options[name]
      const text = values[name] ?? env[option.env] ?? option.byDefault
      if (typeof text !== 'string') throw new Error(`--${name} is missing (or ${option.env}). ${option.description}`)
      return [name, text]
    }),
  ) as Record<Name, string>
}

const wrong = (name: Name, why: string) => new Error(`--${name} (${options[name].env}) ${why}`)

function readUrl(text: string): string {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol)) throw wrong('cloud-url', `is no web address: '${text}'.`)
  return text.replace(/\/+$/, '')
}

/** Takes the last colon: an IPv6 address has more, and brackets around it. */
function readListen(text: string): { host: string; port: number } {
  const [, host, port] = /^(\[[^\]]+\]|[^:]+):(\d{1,5})$/.exec(text) ?? []
  if (host === undefined || Number(port) > 65_535) throw wrong('listen', `must be address:port, not '${text}'.`)
  return { host, port: Number(port) }
}

function readKey(given: Record<Name, string>): string | undefined {
  if (given['api-key-file'] !== '') return secretIn('api-key-file', given['api-key-file'])
  return given['api-key'] === '' ? undefined : given['api-key']
}

function secretIn(name: Name, path: string): string {
  const text = readText(name, path).trim()
  if (text === '') throw wrong(name, `'${path}' is empty.`)
  return text
}

function readText(name: Name, path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    throw new Error(`--${name} '${path}' cannot be read: ${(cause as Error).message}`, { cause })
  }
}

function readWhole(name: Name, text: string, least: number, most: number): number {
  const number = Number(text)
  if (Number.isSafeInteger(number) && number >= least && number <= most) return number
  throw wrong(name, `must be ${least} to ${most}, not '${text}'.`)
}

function readBoolean(name: Name, text: string): boolean {
  if (text !== 'true' && text !== 'false') throw wrong(name, `must be true or false, not '${text}'.`)
  return text === 'true'
}

/** All options, for `--help`. */
export const describeOptions = (): string =>
  `Usage: longshore agent run [options]\n\nOptions, each with the variable that says the same:\n${names
    .map((name) => {
      const { env, description, byDefault }: Option = options[name]
      const otherwise = byDefault === undefined || byDefault === '' ? '' : ` Otherwise ${byDefault}.`
      return `  --${name}  (${env})\n      ${description}${otherwise}\n`
    })
    .join('')}`
