import { join } from 'node:path'
import { ask } from '#ask'
import type { Engine } from '#engine'
import { engineFolder, type Home } from '#home'
import { launch } from '#processes'
import { writePrivately } from '#write-privately'

export const redis: Engine = {
  name: 'redis',
  ports: (home) => [home.ports.redis],
  stopSignal: 'SIGTERM',
  start,
  serves,
}

async function start(home: Home): Promise<void> {
  const folder = engineFolder(home, 'redis')
  const file = join(folder, 'redis.conf')
  await writePrivately(file, configuration(home, folder))
  await launch(home, 'redis', { file: 'redis-server', args: [file], cwd: folder })
}

// The password is in the file and not on the command line, where every account could read it.
// The process keeps its own command line (set-proc-title no): `down` recognises it by that.
const configuration = (home: Home, folder: string) => `bind 127.0.0.1
port ${home.ports.redis}
requirepass ${home.identity.redis_password}
dir "${folder}"
daemonize no
set-proc-title no
appendonly no
save ""
`

async function serves(home: Home): Promise<boolean> {
  const to = { host: '127.0.0.1', port: home.ports.redis }
  const question = `AUTH ${home.identity.redis_password}\r\nPING\r\n`
  return (await ask(to, question, (answer) => answer === '+OK\r\n+PONG\r\n')) !== ''
}
