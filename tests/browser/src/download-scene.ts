import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { createClient } from '@longshore/client/client'
import { packageCalls } from '@longshore/client/package-calls'
import { createLink } from '@longshore/contract/cloud/links'
import { createTeamPackage } from '@longshore/contract/cloud/packages'
import { type FirstTeam, makeFirstTeam } from '@longshore/stack/longshore/first-team'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { openBrowser, watch, type Watched } from '#browser'
import { type OwnInstance, startOwnInstance } from '#own-instance'

export interface Sent {
  readonly id: string
  readonly url: string
  readonly token: string
  readonly linkId: string
}

interface Given {
  readonly name?: string
  readonly description?: string
  readonly link?: { readonly password?: string; readonly access_limit?: number }
  readonly finalize?: boolean
}

/** A server with a Team that sends, and the browser of a recipient. */
export interface DownloadScene {
  readonly instance: OwnInstance
  readonly team: FirstTeam
  readonly browser: Browser
  readonly context: BrowserContext
  /** Sends files as a member of the Team and answers a link to them. */
  send(files: Readonly<Record<string, Buffer>>, given?: Given): Promise<Sent>
  open(url: string): Promise<{ readonly page: Page } & Watched>
  close(): Promise<void>
}

export async function openDownloadScene(name: string, portOffset: number): Promise<DownloadScene> {
  const instance = await startOwnInstance(name, portOffset)
  const team = await makeFirstTeam(instance.url, instance.env)
  const browser = await openBrowser()
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
  return {
    instance,
    team,
    browser,
    context,
    async send(files, given = {}) {
      const client = createClient({ baseUrl: instance.url, credential: { apiKey: team.api_key } })
      const pkg = await client.call(createTeamPackage, {
        params: { team_id: team.team_id },
        body: { name: given.name ?? 'Rushes', description: given.description ?? '', recipients: [] },
      })
      const token = pkg.access_token ?? ''
      const calls = packageCalls(client, pkg.id, token)
      const { signal } = new AbortController()
      const added = await calls.addFiles(
        Object.entries(files).map(([place, bytes]) => ({
          kind: 'file' as const,
          name: place.split('/').at(-1) ?? '',
          path: place.split('/').slice(0, -1).join('/'),
          last_modified: '2026-11-01T10:00:00Z',
          size: bytes.length,
        })),
        randomBytes(8).toString('hex'),
        signal,
      )
      for (const [index, bytes] of Object.values(files).entries()) {
        const put = added[index]?.put_blueprint
        assert.ok(put)
        const stored = await fetch(put.url, { method: put.method, headers: put.headers, body: new Uint8Array(bytes) })
        assert.equal(stored.status, 200)
      }
      await calls.finalizeFiles(
        added.map(({ file }) => ({ file_id: file.id, size: file.size ?? 0 })),
        signal,
      )
      if (given.finalize !== false) await calls.finalizePackage(signal)
      const link = await client.call(
        createLink,
        { params: { package_id: pkg.id }, body: given.link ?? {} },
        { credential: { packageToken: token } },
      )
      return { id: pkg.id, url: link.url, token, linkId: link.id }
    },
    async open(url) {
      const page = await context.newPage()
      const watched = await watch(page)
      await page.goto(url)
      return { page, ...watched }
    },
    async close() {
      await browser.close()
      await instance.stop()
    },
  }
}
