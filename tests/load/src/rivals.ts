import { spawn } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { plainEnvironment } from '@longshore/stack/run'
import type { Site } from './benchmark.ts'
import type { Spent } from './agent-site.ts'

/** Runs a program of somebody else to its end, and counts what it took. */
async function measured(file: string, args: readonly string[], env: Readonly<Record<string, string>>): Promise<Spent> {
  // The shell knows what its children have spent, to the hundredth of a second.
  const child = spawn('bash', ['-c', 'TIMEFORMAT="%R %U %S"; time "$@"', 'bash', file, ...args], {
    env: { ...plainEnvironment, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (piece: string) => (said += piece))
  const code = await new Promise((resolve, reject) => {
    child.once('error', reject).once('close', resolve)
  })
  if (code !== 0) throw new Error(`${file} ended with ${String(code)}: ${said.slice(-2000)}`)
  const [seconds = Number.NaN, user = Number.NaN, system = Number.NaN] = (said.trim().split('\n').at(-1) ?? '')
    .split(' ')
    .map(Number)
  return { seconds, cpu: user + system }
}

export const rcloneNeeds = [['rclone', '/usr/bin/rclone']] as const

/** rclone straight to the gateway, without the proxy that our own requests pass through. Its keys are in no argument. */
export function rclone({ stack: { s3 } }: Site, ...args: readonly string[]): Promise<Spent> {
  return measured('rclone', args, {
    RCLONE_CONFIG: '/dev/null',
    RCLONE_CONFIG_STORE_TYPE: 's3',
    RCLONE_CONFIG_STORE_PROVIDER: 'Ceph',
    RCLONE_CONFIG_STORE_ENDPOINT: s3.endpoint,
    RCLONE_CONFIG_STORE_ACCESS_KEY_ID: s3.janitor.access_key,
    RCLONE_CONFIG_STORE_SECRET_ACCESS_KEY: s3.janitor.secret_key,
  })
}

export const rcloneChunks = ['--s3-chunk-size', '64M', '--s3-upload-concurrency', '8', '--transfers', '4'] as const

/** A bucket of rclone's own. */
export const rivalBucket = (site: Site) => `store:${site.name}-rival`

/** The floor: curl that does nothing but send these files to these addresses, so many at once. */
export async function curlUploads(
  folder: string,
  requests: readonly {
    readonly url: string
    readonly headers: Readonly<Record<string, string>>
    readonly file: string
  }[],
  atOnce: number,
): Promise<Spent> {
  const list = join(folder, 'curl.conf')
  const quoted = (text: string) => `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
  const lines = requests.map(({ url, headers, file }) =>
    [
      `url = ${quoted(url)}`,
      `upload-file = ${quoted(file)}`,
      'header = "Expect:"',
      ...Object.entries(headers).map(([name, value]) => `header = ${quoted(`${name}: ${value}`)}`),
      'output = "/dev/null"',
    ].join('\n'),
  )
  await writeFile(list, `${lines.join('\nnext\n')}\n`, { mode: 0o600 })
  const args = ['--no-progress-meter', '--fail', '--parallel', '--parallel-max', String(atOnce), '--config', list]
  return measured('curl', args, {})
}
