import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, open, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createClient } from '@longshore/client/client'
import { fileUrl, listFiles } from '@longshore/contract/cloud/files'
import { createForm } from '@longshore/contract/cloud/forms'
import { lookUpLink } from '@longshore/contract/cloud/links'
import { createPortal } from '@longshore/contract/cloud/portals'
import type { InputOf } from '@longshore/contract/endpoint'
import type { FirstTeam } from '@longshore/stack/longshore/first-team'
import type { Page } from 'playwright-core'
import { mailedAddress } from '#mailed-address'
import type { OwnInstance } from '#own-instance'

export const MiB = 1024 * 1024

type PortalFields = InputOf<typeof createPortal>['body']
export type FormFields = NonNullable<InputOf<typeof createForm>['body']['fields']>

/** A Team that makes Portals, on a server of its own. */
export interface Scene {
  readonly instance: OwnInstance
  readonly team: FirstTeam
}

let made = 0

/** A Portal with what the test wants otherwise. */
export async function makePortal({ instance, team }: Scene, fields: Partial<PortalFields> = {}, form?: FormFields) {
  const client = createClient({ baseUrl: instance.url, credential: { apiKey: team.api_key } })
  const portal = await client.call(createPortal, {
    params: { team_id: team.team_id },
    body: {
      name: 'Dailies for Harbour Films',
      subdomain: `dailies-${++made}`,
      message: 'Camera originals and sound.\nOne folder a day, please.',
      active: true,
      recipients: [`editor-${randomBytes(4).toString('hex')}@example.test`],
      ...fields,
    },
  })
  if (form !== undefined) {
    const body = { name: 'Camera report', delivery_formats: ['json' as const], fields: form }
    await client.call(createForm, { params: { portal_id: portal.id }, body })
  }
  return portal
}

/** Files of random bytes, by their places. Answers the digest of each. */
export async function writeFiles(
  folder: string,
  files: Readonly<Record<string, number>>,
): Promise<Map<string, string>> {
  const digests = new Map<string, string>()
  const block = randomBytes(MiB)
  for (const [place, size] of Object.entries(files)) {
    const path = join(folder, place)
    await mkdir(dirname(path), { recursive: true })
    if (size <= MiB) {
      await writeFile(path, randomBytes(size))
    } else {
      const file = await open(path, 'w')
      for (let at = 0; at < size; at += MiB) {
        // Each mebibyte differs, so that a chunk at the wrong place is noticed.
        block.writeBigUInt64BE(BigInt(at))
        await file.write(block, 0, Math.min(MiB, size - at))
      }
      await file.close()
    }
    digests.set(place, await digestOf(path))
  }
  return digests
}

export async function digestOf(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const piece of createReadStream(path)) hash.update(piece as Buffer)
  return hash.digest('hex')
}

/** A page without the dialogs of the system, which nobody can answer here: its inputs take what is chosen. */
export const withoutPickers = (page: Page): Promise<unknown> =>
  page.addInitScript(() => {
    Object.assign(window, { showOpenFilePicker: undefined, showDirectoryPicker: undefined })
  })

export const chooseFiles = (page: Page, files: string | readonly string[]): Promise<void> =>
  page.locator('input[data-files]').setInputFiles([files].flat())

export const chooseFolder = (page: Page, folder: string): Promise<void> =>
  page.locator('input[data-folder]').setInputFiles(folder)

/** Waits until the package is whole, and fails as soon as the page says that it cannot be. */
export async function untilSent(page: Page, timeout = 60_000): Promise<void> {
  const arrived = page.getByRole('heading', { name: 'Everything has arrived' })
  await Promise.race([
    arrived.waitFor({ timeout }),
    page
      .getByRole('alert')
      .waitFor({ timeout })
      .then(async () => assert.fail(await page.getByRole('alert').innerText())),
  ])
}

/** Fetches everything that came through a Portal by the link that was mailed. Answers the digests by their places. */
export async function arrivedFiles(
  scene: Scene,
  portal: { readonly recipients?: readonly string[] },
): Promise<Map<string, string>> {
  const address = new URL(await mailedAddress(scene.instance.stack.mail_url, portal.recipients?.[0] ?? ''))
  const client = createClient({ baseUrl: scene.instance.url })
  const { package_id: id, package_token: packageToken } = await client.call(lookUpLink, {
    params: { link_id: address.pathname.split('/').at(-1) ?? '' },
    query: { secret: address.searchParams.get('secret') ?? '' },
  })
  const listed = await client.call(listFiles, { params: { package_id: id } }, { credential: { packageToken } })
  const digests = new Map<string, string>()
  for (const file of listed.filter(({ kind }) => kind === 'file')) {
    const params = { package_id: id, file_id: file.id }
    const reply = await fetch((await client.call(fileUrl, { params }, { credential: { packageToken } })).url)
    const hash = createHash('sha256')
    for await (const piece of reply.body ?? []) hash.update(piece)
    digests.set(file.path === '' ? file.name : `${file.path}/${file.name}`, hash.digest('hex'))
  }
  return digests
}
