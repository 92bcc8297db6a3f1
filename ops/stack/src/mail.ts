import { fileURLToPath } from 'node:url'
import type { Engine } from '#engine'
import { engineFolder, type Home } from '#home'
import { launch } from '#processes'

export const mail: Engine = {
  name: 'mail',
  ports: (home) => [home.ports.smtp, home.ports.mail],
  stopSignal: 'SIGTERM',
  start,
  serves,
}

export const mailUrl = (home: Home): string => `http://127.0.0.1:${home.ports.mail}`
export const smtpUrl = (home: Home): string => `smtp://127.0.0.1:${home.ports.smtp}`

const catcher = fileURLToPath(new URL('./mail-catcher.ts', import.meta.url))

async function start(home: Home): Promise<void> {
  const folder = engineFolder(home, 'mail')
  const args = [
    catcher,
    '--smtp',
    String(home.ports.smtp),
    '--http',
    String(home.ports.mail),
    '--stack',
    `${home.data}/`,
  ]
  await launch(home, 'mail', { file: process.execPath, args, cwd: folder })
}

async function serves(home: Home): Promise<boolean> {
  const signal = AbortSignal.timeout(2000)
  const answer = await fetch(`${mailUrl(home)}/healthz`, { signal }).catch(() => undefined)
  await answer?.body?.cancel()
  return answer?.status === 200
}
