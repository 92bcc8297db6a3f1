import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { crc32 } from 'node:zlib'
import { addFiles, fileUrl, finalizeFiles, listFiles } from '@longshore/contract/cloud/files'
import { createLink, lookUpLink } from '@longshore/contract/cloud/links'
import { finalizePackage } from '@longshore/contract/cloud/packages'
import { GiB, MiB } from '@longshore/contract/limits'
import { installMissing, unpackers } from '@longshore/stack/install'
import { testByAll } from '@longshore/stack/unpackers'
import { type ApiLoad, apiLoad } from './api-load.ts'
import type { Benchmark, Figure, Site } from './benchmark.ts'
import { download } from './download.ts'
import { forEach, timed } from './lanes.ts'
import { growthDuring } from './memory.ts'
import { openPackage, type OpenPackage } from './open-package.ts'
import { median } from './statistics.ts'
import { type StoreLoad, storeLoad } from './store-load.ts'
import { piece, uploadFile } from './upload-file.ts'

const rounds = 3
// Longer than a process remembers how an archive is laid out.
const forgottenAfterMs = 65_000

/** Archives: how fast they come, how soon they begin, and what they take in memory. */
export const zip: Benchmark = {
  name: 'zip',
  about:
    'Whole packages as one zip through the API, against plain GETs of the same files from the public storage address, in turns. One package has five files, one of them over 4 GiB; another has 70,000 small files. Cold = the process has forgotten the layout. Each archive is then tested by unzip, 7z, Python and bsdtar.',
  async run(site) {
    await installMissing(() => {}, unpackers)
    const api = apiLoad(site.url, 16)
    const store = storeLoad(site.stack.s3.public_endpoint, 16)
    try {
      return [...(await largeFiles(api, store, site)), ...(await smallFiles(api, store, site))]
    } finally {
      api.close()
      store.close()
    }
  },
}

async function largeFiles(api: ApiLoad, store: StoreLoad, site: Site): Promise<Figure[]> {
  const sizes = site.quick ? [40 * MiB, 5 * MiB, 5 * MiB, 0, 1] : [4 * GiB + 100 * MiB, 100 * MiB, 60 * MiB, 0, 1]
  const pkg = await openPackage(api, site.team, 'large files')
  await forEach(sizes, 2, (size, index) => uploadFile(api, store, pkg, `reel ${index}.mov`, size, checksumOf(size)))
  const { archive, files } = await addresses(api, pkg)
  const ratios: number[] = []
  const rates: number[] = []
  const growth: number[] = []
  for (let round = 0; round < rounds; round++) {
    let bytes = 0
    const plainly = await timed(async () => {
      for (const url of files) bytes += (await download(url)).bytes
    })
    let zipped = { bytes: 0, seconds: Number.NaN }
    growth.push(
      await growthDuring(site.watched['api'] ?? 0, async () => {
        zipped = await download(archive)
      }),
    )
    rates.push(zipped.bytes / zipped.seconds)
    ratios.push(zipped.bytes / zipped.seconds / (bytes / plainly))
  }
  const opened = await testedSeconds(archive)
  return [
    { name: 'large files: archive', value: sizes.reduce((sum, size) => sum + size, 0) / 1e9, unit: 'GB' },
    { name: 'large files: rate', value: median(rates) / 1e6, unit: 'MB/s' },
    { name: 'large files: rate ÷ plain GETs', value: median(ratios), unit: '', goal: { atLeast: 0.85 } },
    { name: 'large files: memory of the API grows by', value: median(growth) / 1e6, unit: 'MB', goal: { atMost: 60 } },
    { name: 'large files: tested by four programs in', value: opened, unit: 's' },
  ]
}

async function smallFiles(api: ApiLoad, store: StoreLoad, site: Site): Promise<Figure[]> {
  const count = site.quick ? 2_000 : 70_000
  const pkg = await openPackage(api, site.team, 'small files')
  for (let from = 0; from < count; from += 1_000)
    await uploadBatch(api, store, pkg, from, Math.min(1_000, count - from))
  const { archive } = await addresses(api, pkg)
  const first: number[] = []
  for (let round = 0; round < rounds; round++)
    first.push((await download(archive, 'bytes=2000000-2000099')).firstByteMs)
  const cold: number[] = []
  for (let round = 0; round < (site.quick ? 0 : rounds); round++) {
    await sleep(forgottenAfterMs)
    cold.push((await download(archive, 'bytes=2000000-2000099')).firstByteMs)
  }
  const whole = await download(archive)
  const opened = await testedSeconds(archive)
  return [
    { name: 'small files: first byte of a range, cold', value: Math.min(...cold), unit: 'ms', goal: { atMost: 300 } },
    { name: 'small files: first byte of a range, again', value: median(first), unit: 'ms' },
    { name: 'small files: files a second', value: count / whole.seconds, unit: '' },
    { name: 'small files: tested by four programs in', value: opened, unit: 's' },
  ].filter(({ value }) => Number.isFinite(value))
}

/** Opened by what people have. An archive that one of them refuses ends the benchmark. */
async function testedSeconds(url: string): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'longshore-zip-'))
  try {
    const file = join(folder, 'archive.zip')
    await download(url, undefined, file)
    return await timed(() => testByAll(file))
  } finally {
    await rm(folder, { recursive: true })
  }
}

function checksumOf(size: number): { crc32: string } {
  let crc = 0
  for (let left = size; left > 0; left -= piece.length) crc = crc32(piece.subarray(0, left), crc)
  return { crc32: hex(crc) }
}

const hex = (crc: number): string => crc.toString(16).padStart(8, '0')

async function uploadBatch(api: ApiLoad, store: StoreLoad, pkg: OpenPackage, from: number, count: number) {
  const params = { package_id: pkg.id }
  const bytes = Array.from({ length: count }, (_, index) => piece.subarray(from + index, from + index + 1_000))
  const files = bytes.map((one, index) => ({
    kind: 'file' as const,
    name: `${from + index}.json`,
    path: `day ${from / 1_000}`,
    size: one.length,
    last_modified: '2026-01-02T03:04:05.000Z',
  }))
  const added = await api.call(addFiles, { params, body: { files } }, pkg.token)
  const claims = await forEach(added.files, 16, async ({ file, put_blueprint }, index) => {
    if (put_blueprint === null) throw new Error('A small file came without its request.')
    const content = bytes[index] ?? Buffer.alloc(0)
    await store.put(put_blueprint, { piece: content, length: content.length })
    return { file_id: file.id, size: content.length, checksums: { crc32: hex(crc32(content)) } }
  })
  await api.call(finalizeFiles, { params, body: { files: claims } }, pkg.token)
}

/** Finalizes a package and answers where its archive and its files are, as a recipient is told. */
async function addresses(api: ApiLoad, pkg: OpenPackage): Promise<{ archive: string; files: readonly string[] }> {
  const params = { package_id: pkg.id }
  await api.call(finalizePackage, { params }, pkg.token)
  const link = await api.call(createLink, { params, body: {} }, pkg.token)
  const opened = await api.call(
    lookUpLink,
    { params: { link_id: link.id }, query: { secret: link.secret } },
    // A link needs no credential; the client of the benchmarks always sends one.
    pkg.token,
  )
  const token = { 'x-package-token': opened.package_token }
  const listed = await api.call(listFiles, { params }, token)
  const address = async (file_id: string) =>
    (await api.call(fileUrl, { params: { ...params, file_id }, query: { expiry: inAnHour() } }, token)).url
  const archive = await address(listed.find(({ kind }) => kind === 'zip_mac')?.id ?? '')
  const plain = listed.filter(({ kind, size = 0 }) => kind === 'file' && size > 1_000)
  return { archive, files: await forEach(plain.slice(0, 10), 1, ({ id }) => address(id)) }
}

const inAnHour = () => encodeURIComponent(new Date(Date.now() + 3_600_000).toISOString())
