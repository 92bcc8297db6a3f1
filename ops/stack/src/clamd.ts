import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ask } from '#ask'
import type { Engine } from '#engine'
import { engineFolder, type Home } from '#home'
import { launch } from '#processes'

export const clamd: Engine = {
  name: 'clamd',
  ports: (home) => [home.ports.clamd],
  stopSignal: 'SIGTERM',
  start,
  serves,
}

// The 68 characters of the EICAR test file, anywhere in a file. The real signatures are 300 MB and take half a minute
// to load; what we test is our conversation with the scanner, not the scanner.
const eicar =
  'Eicar-Test-Signature:0:*:58354f2150254041505b345c505a58353428505e2937434329377d2445494341522d5354414e44415244' +
  '2d414e544956495255532d544553542d46494c452124482b482a\n'

async function start(home: Home): Promise<void> {
  const folder = engineFolder(home, 'clamd')
  await Promise.all(['signatures', 'temp'].map((name) => mkdir(join(folder, name), { recursive: true })))
  const file = join(folder, 'clamd.conf')
  await writeFile(join(folder, 'signatures', 'local.ndb'), eicar)
  await writeFile(file, configuration(home, folder))
  await launch(home, 'clamd', { file: 'clamd', args: ['--foreground', `--config-file=${file}`], cwd: folder })
}

// ClamAV cannot look into files of 2 GiB and more; up to there nothing is refused or passed over.
const configuration = (home: Home, folder: string) => `DatabaseDirectory ${join(folder, 'signatures')}
TemporaryDirectory ${join(folder, 'temp')}
TCPSocket ${home.ports.clamd}
TCPAddr 127.0.0.1
StreamMaxLength 2047M
MaxFileSize 2047M
MaxScanSize 4095M
MaxScanTime 600000
MaxThreads 8
ReadTimeout 300
SelfCheck 86400
`

async function serves(home: Home): Promise<boolean> {
  const to = { host: '127.0.0.1', port: home.ports.clamd }
  return (await ask(to, 'zPING\0', (answer) => answer === 'PONG\0')) !== ''
}
