import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Engine } from '#engine'
import { engineFolder, type Home } from '#home'
import { run } from '#run'

/** The public address of the storage: nginx in front of radosgw, with the same configuration as in production. */
export const storageProxy: Engine = {
  name: 'nginx',
  children: 'nginx',
  ports: (home) => [home.ports.storage],
  stopSignal: 'SIGTERM',
  start,
  serves,
}

export const storageUrl = (home: Home): string => `http://127.0.0.1:${home.ports.storage}`

const template = new URL('../../nginx/storage.conf.template', import.meta.url)

async function start(home: Home): Promise<void> {
  const folder = engineFolder(home, 'nginx')
  const file = join(folder, 'nginx.conf')
  await writeFile(file, await configuration(home, folder))
  // It goes into the background by itself and notes its pid in nginx.pid, as the template says.
  const log = join(folder, 'nginx.log')
  await run({ file: 'nginx', args: ['-e', log, '-p', folder, '-c', file], cwd: folder }, '', 20)
}

async function configuration(home: Home, folder: string): Promise<string> {
  const values: Readonly<Record<string, string>> = {
    __LISTEN__: `127.0.0.1:${home.ports.storage}`,
    __UPSTREAM__: `127.0.0.1:${home.ports.radosgw}`,
    __RUN_DIR__: folder,
    __MODULES_DIR__: '/usr/lib/nginx/modules',
  }
  const text = await readFile(template, 'utf8')
  return text.replaceAll(/__[A-Z_]+__/g, (placeholder) => values[placeholder] ?? placeholder)
}

/** A preflight is the one request that goes through unsigned, and only radosgw puts a request id on an answer. */
async function serves(home: Home): Promise<boolean> {
  const signal = AbortSignal.timeout(5000)
  const question = { method: 'OPTIONS', headers: { origin: 'http://localhost' }, signal }
  const answer = await fetch(`${storageUrl(home)}/longshore/absent`, question).catch(() => undefined)
  await answer?.body?.cancel()
  return answer?.headers.has('x-amz-request-id') ?? false
}
