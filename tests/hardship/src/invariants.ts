import assert from 'node:assert/strict'
import { objectsIn, openUploadsIn, prefixOf } from '#bucket'
import type { Ground } from '#ground'
import { downloaded, type OpenPackage, readerOf, type SentPackage } from '#sender'

// Recipients that download at the same time.
const recipients = 4

/** P1, P2: what was acknowledged is there, and a recipient gets the very bytes. */
async function acknowledgedIsDownloadable(ground: Ground, packages: readonly SentPackage[]): Promise<void> {
  const finalized = new Set(await ground.ask(`select id from packages where state = 'finalized'`))
  assert.deepEqual(
    packages.map(({ id }) => id).filter((id) => !finalized.has(id)),
    [],
  )
  const waiting = packages.values()
  const recipient = async () => {
    for (const pkg of waiting) {
      const reader = await readerOf(ground, pkg)
      for (const file of pkg.files) {
        assert.equal(await downloaded(ground, pkg, file, reader), file.sha256, `file ${file.id} of ${pkg.id}`)
      }
    }
  }
  await Promise.all(Array.from({ length: recipients }, recipient))
}

/** P3: exactly one event of each kind that happened, and none of what did not. */
async function eachEventOnce(ground: Ground): Promise<void> {
  const wrong = await ground.ask(`
    select p.id, p.state, e.created, e.finalized
      from packages p
      left join lateral (
        select count(*) filter (where type = 'package.created') as created,
               count(*) filter (where type = 'package.finalized') as finalized
          from events where package_id = p.id) e on true
     where p.name <> 'made by sql'
       and (e.created <> 1 or e.finalized <> (p.finalized_at is not null)::integer)`)
  assert.deepEqual(wrong, [], 'packages with an event missing or twice')
}

/** P7: counters equal the rows they count. */
async function countersEqualRows(ground: Ground): Promise<void> {
  const packages = await ground.ask(`
    select p.id, p.size, f.size, p.total_files, f.files
      from packages p
      cross join lateral (select coalesce(sum(size), 0) as size, count(*) as files
                            from files f where f.team_id = p.team_id and f.package_id = p.id and kind = 'file') f
     where p.state = 'finalized' and p.name <> 'made by sql' and (p.size <> f.size or p.total_files <> f.files)`)
  assert.deepEqual(packages, [], 'totals of packages')
  const links = await ground.ask(`
    select l.id, l.access_count, count(a.token_id)
      from links l left join link_accesses a on a.link_id = l.id
     group by l.id having l.access_count <> count(a.token_id)`)
  assert.deepEqual(links, [], 'accesses of links')
  const downloads = await ground.ask(`
    select p.id, p.downloads, coalesce(sum(l.access_count), 0)
      from packages p left join links l on l.team_id = p.team_id and l.package_id = p.id
     group by p.team_id, p.id having p.downloads <> coalesce(sum(l.access_count), 0)`)
  assert.deepEqual(downloads, [], 'downloads of packages')
  const totals = await ground.ask(`
    select team_id, received, state, sum(n)
      from (select team_id, received, state, 1 as n from packages
            union all
            select team_id, received, state, -n from package_counts where shape = 'all' and portal_id is null
            union all
            select team_id, portal_id is not null, state, -n from package_deltas) compared
     group by 1, 2, 3 having sum(n) <> 0`)
  assert.deepEqual(totals, [], 'totals of lists')
}

/** P6, one half: no file of a living package without its bytes, in the size that its row says. */
async function noOwnerWithoutBytes(ground: Ground): Promise<void> {
  const stored = new Map((await objectsIn(ground)).map(({ key, size }) => [key, size]))
  const rows = await ground.ask(`
    select f.object_key, f.size
      from files f join packages p on p.team_id = f.team_id and p.id = f.package_id
     where f.kind = 'file' and f.state = 'finalized' and p.state in ('new', 'finalized')`)
  const missing = rows.filter((row) => {
    const [key = '', size] = row.split('|')
    return stored.get(key) !== Number(size)
  })
  assert.deepEqual(missing, [])
}

/** P6, the other half: no byte in the store that no file of a living package owns. */
export async function noBytesWithoutOwner(ground: Ground): Promise<void> {
  const owned = new Set(
    await ground.ask(`
      select f.object_key
        from files f join packages p on p.team_id = f.team_id and p.id = f.package_id
       where p.state in ('new', 'finalized') and f.object_key is not null`),
  )
  const orphans = (await objectsIn(ground)).filter(({ key }) => !owned.has(key))
  assert.deepEqual(orphans, [])
}

/** Of an ended package neither an object is left nor an upload that was begun. */
export async function nothingStored(ground: Ground, pkg: OpenPackage): Promise<void> {
  const prefix = prefixOf(ground.team.team_id, pkg.id)
  assert.deepEqual((await objectsIn(ground, prefix)).length, 0, 'objects left over')
  assert.deepEqual((await openUploadsIn(ground, prefix)).length, 0, 'open uploads left over')
}

/** I11: no job is held by a worker that is not there. */
async function noJobOfTheDead(ground: Ground): Promise<void> {
  const stuck = await ground.ask(`
    select name, id, heartbeat_on from queue.job
     where state = 'active' and coalesce(heartbeat_on, started_on) < now() - interval '60 seconds'`)
  assert.deepEqual(stuck, [])
}

/** No order was lost or failed for good. */
async function noJobFailed(ground: Ground): Promise<void> {
  const failed = await ground.ask(`
    select name, id, output from queue.job where state in ('failed', 'cancelled') and retry_limit > 0`)
  assert.deepEqual(failed, [])
}

/** I16: nothing that nobody caught, and no 500 to anybody. */
function noSurprises(ground: Ground): void {
  const lines = ground
    .logs()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as { level: number; msg: string; status?: number })
  assert.deepEqual(
    lines.filter(({ level, msg, status }) => level >= 60 || status === 500 || /nobody caught/.test(msg)),
    [],
  )
}

/** I20: no secret that was issued is in a log. */
function noSecretInLogs(ground: Ground, packages: readonly OpenPackage[] = []): void {
  const logs = ground.logs()
  const { api_key, user_token, owner } = ground.team
  const { upload, read, janitor } = ground.stack.s3
  const secrets = [
    api_key,
    user_token,
    owner.password,
    ...[upload, read, janitor].map((keys) => keys.secret_key),
    ...packages.map((pkg) => pkg.token.packageToken),
  ]
  assert.deepEqual(
    secrets.filter((secret) => logs.includes(secret)).map((secret) => secret.slice(0, 6)),
    [],
  )
  assert.ok(!logs.includes('X-Amz-Signature'), 'a signed address is in a log')
}

/** All that holds of every ground at every quiet moment. */
export async function allIsWell(ground: Ground, packages: readonly SentPackage[] = []): Promise<void> {
  await eachEventOnce(ground)
  await countersEqualRows(ground)
  await noOwnerWithoutBytes(ground)
  await noJobOfTheDead(ground)
  await noJobFailed(ground)
  await acknowledgedIsDownloadable(ground, packages)
  await countersEqualRows(ground)
  noSurprises(ground)
  noSecretInLogs(ground, packages)
}
