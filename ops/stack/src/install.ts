import { globSync } from 'node:fs'
import { access, rm, writeFile } from 'node:fs/promises'
import { run } from '#run'

type Say = (line: string) => void

/** A Debian package, and what it must have put on this machine. */
type Need = readonly [debianPackage: string, ...files: string[]]

const engines: readonly Need[] = [
  ['postgresql', '/usr/lib/postgresql/*/bin/postgres', '/usr/lib/postgresql/*/bin/psql'],
  ['radosgw', '/usr/bin/radosgw'],
  ['ceph-mon', '/usr/bin/ceph-mon'],
  ['ceph-osd', '/usr/bin/ceph-osd'],
  ['ceph-common', '/usr/bin/ceph', '/usr/bin/radosgw-admin'],
  ['libtcmalloc-minimal4', '/usr/lib/*/libtcmalloc_minimal.so.4'],
  ['redis-server', '/usr/bin/redis-server'],
  ['clamav-daemon', '/usr/sbin/clamd'],
  ['nginx-light', '/usr/sbin/nginx'],
  ['libnginx-mod-http-headers-more-filter', '/usr/lib/nginx/modules/ngx_http_headers_more_filter_module.so'],
]

/** Programs that unpack archives, for tests that ours can be opened by what people have. */
export const unpackers: readonly Need[] = [
  ['unzip', '/usr/bin/unzip'],
  ['p7zip-full', '/usr/bin/7z'],
  ['libarchive-tools', '/usr/bin/bsdtar'],
  ['python3-minimal', '/usr/bin/python3'],
]

const missingOf = (needs: readonly Need[]): string[] =>
  needs.filter(([, ...files]) => files.some((file) => globSync(file).length === 0)).map(([name]) => name)

/** Installs the packages that are not there. Only root may; anyone else is told what to run. */
export async function installMissing(say: Say, needs = engines): Promise<void> {
  const missing = missingOf(needs)
  if (missing.length === 0) return

  const install = ['install', '--yes', '--no-install-recommends', ...missing]
  if (process.getuid?.() !== 0) {
    const commands = `sudo apt-get update && sudo apt-get ${install.join(' ')}`
    throw new Error(`Some programs are not installed. Run this once, then try again:\n  ${commands}`)
  }
  say(`installing ${missing.join(' ')}`)
  await withoutServices(async () => {
    await aptGet('update')
    await aptGet(...install)
  })
  const still = missingOf(needs)
  if (still.length > 0) throw new Error(`apt-get installed, but this is still missing: ${still.join(' ')}`)
}

const aptGet = (...args: readonly string[]): Promise<string> =>
  run({ file: 'apt-get', args, cwd: '/', env: { DEBIAN_FRONTEND: 'noninteractive' } }, '', 1200)

const policy = '/usr/sbin/policy-rc.d'

/** Debian starts a service as soon as it is installed. 101 is how this file says "not allowed". */
async function withoutServices(work: () => Promise<void>): Promise<void> {
  const isTheirs = await access(policy).then(
    () => true,
    () => false,
  )
  // A machine that has such a file has its own opinion, and keeps it.
  if (isTheirs) return work()
  await writeFile(policy, '#!/bin/sh\nexit 101\n', { mode: 0o755 })
  try {
    await work()
  } finally {
    await rm(policy, { force: true })
  }
}
