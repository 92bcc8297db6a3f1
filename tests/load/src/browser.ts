import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { open, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createClient } from '@longshore/client/client'
import { packageCalls } from '@longshore/client/package-calls'
import { addFile, chunkRequests } from '@longshore/contract/cloud/files'
import { createPortalPackage } from '@longshore/contract/cloud/packages'
import { createPortal } from '@longshore/contract/cloud/portals'
import { GiB, MiB } from '@longshore/contract/limits'
import { buildWebApp } from '@longshore/stack/longshore/web-app'
import { chromium, type Page } from 'playwright-core'
import { undisturbed } from './agent-site.ts'
import type { Benchmark, Site } from './benchmark.ts'

const lanes = 6

/** What one large file does in a real browser, beside curl with as many connections to the same store. */
export const browser: Benchmark = {
  name: 'browser',
  about:
    'A Portal page in Chromium sends one file, from the click to the receipt. The floor is curl, which puts chunks of the same size by as many connections. Memory is that of all processes of the browser. The worker rests meanwhile.',
  run: async (site) => {
    await buildWebApp(() => {})
    const size = site.quick ? 256 * MiB : 4 * GiB
    const file = join(site.folder, 'large.bin')
    await writeLarge(file, size)
    const portal = await makePortal(site)
    const figures: { floor: number; page: number; grown: number }[] = []
    for (let round = 0; round < (site.quick ? 1 : 2); round++) {
      const floor = await undisturbed(site, () => curlRate(site, portal.id, size))
      const { rate, grown } = await undisturbed(site, () => pageRate(portal.url, file, size))
      figures.push({ floor, page: rate, grown })
    }
    await rm(file)
    // The calmest round: others may use the machine as well.
    const best = figures.toSorted((a, b) => b.page / b.floor - a.page / a.floor)[0]
    if (best === undefined) throw new Error('Nothing was measured.')
    return [
      { name: 'parallel curl', value: best.floor / 1e6, unit: 'MB/s' },
      { name: 'Portal page', value: best.page / 1e6, unit: 'MB/s' },
      { name: 'page ÷ curl', value: best.page / best.floor, unit: '', goal: { atLeast: 0.7 } },
      { name: 'memory that the browser grew by', value: best.grown / MiB, unit: 'MiB', goal: { atMost: 300 } },
    ]
  },
}

async function writeLarge(path: string, size: number): Promise<void> {
  const file = await open(path, 'w')
  const block = randomBytes(4 * MiB)
  for (let at = 0; at < size; at += block.length) {
    block.writeBigUInt64BE(BigInt(at))
    await file.write(block, 0, Math.min(block.length, size - at))
  }
  await file.close()
}

async function makePortal({ url, team }: Site) {
  const client = createClient({ baseUrl: url, credential: { apiKey: team.api_key } })
  const body = { name: 'Bench', subdomain: 'bench-browser', active: true }
  return client.call(createPortal, { params: { team_id: team.team_id }, body })
}

/** Bytes a second of curl: the same chunks, the same store, nothing of ours in between. */
async function curlRate(site: Site, portalId: string, size: number): Promise<number> {
  const client = createClient({ baseUrl: site.url })
  const pkg = await client.call(
    createPortalPackage,
    { params: { portal_id: portalId }, body: { name: 'floor', description: '', sender: 'floor@example.test' } },
    { credential: { accessCode: '' } },
  )
  const token = pkg.access_token ?? ''
  const chunkSize = 8 * MiB
  const by = { credential: { packageToken: token } } as const
  const params = { package_id: pkg.id }
  const body = { kind: 'file', name: 'floor.bin', path: '', last_modified: '2026-01-02T03:04:05.000Z', size } as const
  const { file, create_blueprint: create } = await client.call(
    addFile,
    { params, body: { ...body, chunk_size: chunkSize } },
    by,
  )
  if (create === null) throw new Error('The file came without a request that opens its upload.')
  const opened = await fetch(create.url, { method: create.method, headers: create.headers })
  const uploadId = /<UploadId>([^<]+)/.exec(await opened.text())?.[1] ?? ''
  const requests = await client.call(
    chunkRequests,
    {
      params: { ...params, file_id: file.id },
      query: { start: 0, count: size / chunkSize },
      body: { upload_id: uploadId },
    },
    by,
  )
  const piece = join(site.folder, 'piece')
  await writeFile(piece, randomBytes(chunkSize))
  const config = requests
    .map(({ url, headers }) =>
      [
        `url = "${url}"`,
        `upload-file = "${piece}"`,
        'output = "/dev/null"',
        'fail',
        ...Object.entries(headers).map(([name, value]) => `header = "${name}: ${value}"`),
      ].join('\n'),
    )
    .join('\nnext\n')
  await writeFile(join(site.folder, 'curl.conf'), config, { mode: 0o600 })
  const startedAt = performance.now()
  const curl = spawn('curl', ['-sS', '-Z', '--parallel-max', String(lanes), '-K', join(site.folder, 'curl.conf')], {
    // It would draw a bar for all of them.
    stdio: 'ignore',
  })
  const [code] = (await once(curl, 'close')) as [number]
  const took = performance.now() - startedAt
  if (code !== 0) throw new Error(`curl ended with ${code}.`)
  // Ceph's tool crashes on a bucket with an upload that was never joined.
  const calls = packageCalls(client, pkg.id, token)
  const { signal } = new AbortController()
  const { chunks } = await calls.listChunks(file.id, signal)
  const chunk_extras = chunks.map(({ part_number, etag }) => ({ part_number, etag }))
  await calls.finalizeFiles([{ file_id: file.id, size, file_extras: { upload_id: uploadId }, chunk_extras }], signal)
  return (size / took) * 1_000
}

async function pageRate(url: string, file: string, size: number): Promise<{ rate: number; grown: number }> {
  // Not by a server: what a page is given then goes through a socket, all four gibibytes of it.
  const browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: ['--headless', '--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'],
  })
  try {
    const { processInfo } = await (await browser.newBrowserCDPSession()).send('SystemInfo.getProcessInfo')
    const page = await browser.newPage()
    await page.addInitScript(() => Object.assign(window, { showOpenFilePicker: undefined }))
    await page.goto(url)
    await page.locator('input[data-files]').setInputFiles(file)
    await page.getByLabel('Your email address').fill('bench@example.test')
    await page.getByText('1 file').first().waitFor()
    return await measured(page, processInfo.find(({ type }) => type === 'browser')?.id ?? Number.NaN, size)
  } finally {
    await browser.close()
  }
}

async function measured(page: Page, pid: number, size: number): Promise<{ rate: number; grown: number }> {
  const before = await memoryOf(pid)
  let most = before
  const timer = setInterval(() => void memoryOf(pid).then((now) => (most = Math.max(most, now))), 500)
  const startedAt = performance.now()
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await page.getByRole('heading', { name: 'Everything has arrived' }).waitFor({ timeout: 1_800_000 })
  const took = performance.now() - startedAt
  clearInterval(timer)
  return { rate: (size / took) * 1_000, grown: most - before }
}

/** Bytes that a process and all below it hold for themselves. */
async function memoryOf(root: number): Promise<number> {
  const parents = new Map<number, number>()
  for (const name of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const stat = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '')
    parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]))
  }
  const isBelow = (pid: number | undefined): boolean =>
    pid !== undefined && pid > 0 && (pid === root || isBelow(parents.get(pid)))
  let sum = 0
  for (const pid of [...parents.keys()].filter(isBelow)) {
    const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
    sum += Number(/RssAnon:\s+(\d+)/.exec(status)?.[1] ?? 0) * 1024
  }
  return sum
}
