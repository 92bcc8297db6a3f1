import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { resumeDownload, startDownload } from '@longshore/contract/agent/downloads'
import { setDownloadLimit, setUploadLimit } from '@longshore/contract/agent/settings'
import { createUploadLink, resumeUpload, startUpload } from '@longshore/contract/agent/uploads'
import { listLinks, lookUpLink } from '@longshore/contract/cloud/links'
import { MiB } from '@longshore/contract/limits'
import { type Agent, isIn, makeFiles, makeFolder, sendAsTeam, startAgent, untilDownload, untilUpload } from '#agent'
import { use } from '#calls'
import { claimsOf, mint, now, packageToken } from '#mint'
import { test } from '#record'
import { target } from '#target'
import { finalize, inPackage, makeLink, makePackage, managing, upload } from '#walk'

const team = { team_id: target.team_id }
const day = 24 * 3600

/** Opens what an agent that has ended remembers. */
const memoryOf = ({ dataDir }: Agent) => new DatabaseSync(join(dataDir, 'agent.db'))

/** Lets an upload grow old while its agent is off: its token is good until then. */
function age(agent: Agent, upload: { upload_id: string; package_id: string }, days: number, exp: number): void {
  using memory = memoryOf(agent)
  const token = packageToken({ ...team, id: upload.package_id }, 'manage', { exp })
  const created = new Date(Date.now() - days * day * 1000).toISOString()
  memory
    .prepare('update transfers set secrets = ?, created_at = ? where id = ?')
    .run(JSON.stringify({ token }), created, upload.upload_id)
}

test('a link is still made when the token of the package has ended, as long as somebody is signed in', async () => {
  const agent = await startAgent()
  const upload = await sendAsTeam(agent, makeFiles({ 'a.txt': 'a' }))
  await agent.stop()
  age(agent, upload, 8, now() - day)
  const later = await agent.again()
  const link = await use(createUploadLink, { params: { upload_id: upload.upload_id } }, later.at)
  const query = { secret: link.secret }
  assert.equal((await use(lookUpLink, { params: { link_id: link.id }, query })).package_id, upload.package_id)
})

test('an upload that goes on day after day gets a fresh token each time, also from an agent that never runs for long', async () => {
  const agent = await startAgent({ args: ['--auto-resume', 'false', '--auto-finalize', 'false'] })
  await use(setUploadLimit, { body: { rate_limit_bps: 8_000, enabled: true } }, agent.at)
  const body = { ...team, paths: [makeFiles({ 'a.bin': randomBytes(MiB) })] }
  const upload = await use(startUpload, { body }, agent.at)
  await agent.stop()
  const soon = now() + 3600
  age(agent, upload, 6, soon)

  const later = await agent.again()
  await use(setUploadLimit, { body: { rate_limit_bps: 0, enabled: false } }, later.at)
  await use(resumeUpload, { params: { upload_id: upload.upload_id } }, later.at)
  await untilUpload(later, upload.upload_id, isIn('idle'))
  await later.stop()
  using memory = memoryOf(later)
  const { secrets } = memory.prepare('select secrets from transfers where id = ?').get(upload.upload_id) as {
    secrets: string
  }
  const { exp } = claimsOf((JSON.parse(secrets) as { token: string }).token)
  assert.ok(Number(exp) > soon + 5 * day)
})

test('a download that takes longer than the day of its token counts as one, also through a link for one', async () => {
  const pkg = await makePackage()
  await upload(pkg, randomBytes(2 * MiB), { name: 'reel.mov' })
  await finalize(pkg)
  const link = await makeLink(pkg, { access_limit: 1 })
  const agent = await startAgent({ args: ['--auto-resume', 'false'] })
  await use(setDownloadLimit, { body: { rate_limit_bps: 800_000, enabled: true } }, agent.at)
  const body = { url: link.url, dst_folder: makeFolder() }
  const { download_id } = await use(startDownload, { body }, agent.at)
  await untilDownload(agent, download_id, ({ progress }) => progress > 0)
  await agent.stop()
  endTokenOf(agent, download_id)

  const later = await agent.again()
  await use(setDownloadLimit, { body: { rate_limit_bps: 0, enabled: false } }, later.at)
  await use(resumeDownload, { params: { download_id } }, later.at)
  await untilDownload(later, download_id, isIn('complete'))
  const links = await use(listLinks, { params: inPackage(pkg) }, managing(pkg))
  assert.equal(links.find(({ id }) => id === link.id)?.access_count, 1)
})

/** Lets the day of a read token pass while its agent is off. */
function endTokenOf(agent: Agent, downloadId: string): void {
  using memory = memoryOf(agent)
  const { secrets } = memory.prepare('select secrets from transfers where id = ?').get(downloadId) as {
    secrets: string
  }
  const kept = JSON.parse(secrets) as { token: string }
  const token = mint({ kind: 'package', claims: { ...claimsOf(kept.token), exp: now() - 3_600 } })
  memory.prepare('update transfers set secrets = ? where id = ?').run(JSON.stringify({ ...kept, token }), downloadId)
}
