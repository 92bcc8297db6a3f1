import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type CallInput, createClient } from '@longshore/client/client'
import { registerGateway, updateGateway } from '@longshore/contract/agent/gateway'
import { createConnection, listTransfers, startTransfer, updateConnection } from '@longshore/contract/cloud/connections'
import { createTeamPackage, readTeamPackage } from '@longshore/contract/cloud/packages'
import { fillCustomerBucket, makeCustomerBucket, readCustomerBucket } from '@longshore/stack/bucket'
import { startAgent } from '@longshore/stack/longshore/agent-process'
import type { Page } from 'playwright-core'
import { assertOnlyText, type ConsoleHouse, openConsoleHouse, tabTo } from '#console-house'
import { nasty } from '#console-scene'
import { deliver } from '#deliver'
import { lookAt, picture } from '#pictures'

type Fields = CallInput<typeof createConnection>['body']

const bucket = `storage-pages-${randomBytes(4).toString('hex')}`
let house: ConsoleHouse

before(async () => {
  house = await openConsoleHouse('browser-storage', 23)
  await makeCustomerBucket(house.instance.stack, bucket, { open: false })
})

after(() => house?.close())

const calls = () => createClient({ baseUrl: house.instance.url, credential: { userToken: house.token } })

/** The keys of the customer's bucket, as a connection is given them. */
const keys = (more: Partial<NonNullable<Fields['authorization']>> = {}): NonNullable<Fields['authorization']> => {
  const { endpoint, region, customer } = house.instance.stack.s3
  return {
    endpoint,
    region,
    bucket,
    access_key_id: customer.access_key,
    secret_access_key: customer.secret_key,
    ...more,
  }
}

const connect = (name: string, more: Partial<Fields> = {}) =>
  calls().call(createConnection, {
    params: { team_id: house.team.team_id },
    body: { name, provider: 's3', direction: 'both', authorization: keys(), ...more },
  })

async function send(name: string, files: Readonly<Record<string, string>>): Promise<string> {
  const body = { name, description: '', recipients: [] }
  const pkg = await calls().call(createTeamPackage, { params: { team_id: house.team.team_id }, body })
  return deliver(house.instance.url, pkg, files)
}

/** Sends a package to a connection and waits until it is there. */
async function carried(packageId: string, connectionId: string): Promise<void> {
  const { call } = calls()
  const params = { package_id: packageId }
  const { access_token: packageToken = '' } = await call(readTeamPackage, {
    params: { team_id: house.team.team_id, ...params },
  })
  const by = { credential: { packageToken } }
  let transfer = await call(startTransfer, { params, body: { cloud_connection_id: connectionId } }, by)
  for (const deadline = Date.now() + 60_000; Date.now() < deadline && transfer.state !== 'complete'; ) {
    await sleep(200)
    transfer = (await call(listTransfers, { params }, by))[0] ?? transfer
  }
  assert.equal(transfer.state, 'complete', transfer.error)
}

/** Types where the bucket is and its keys, field by field, each reached by the Tab key. */
async function typeKeys(page: Page, secret: string): Promise<void> {
  const { endpoint = '', region = '', access_key_id } = keys()
  const typed = { 'Address of the store': endpoint, Region: region, Bucket: bucket, 'Access key': access_key_id }
  for (const [label, value] of Object.entries({ ...typed, 'Secret key': secret })) {
    await tabTo(page, label)
    await page.keyboard.type(value)
  }
}

test('a bucket is connected by the keyboard alone, tried and corrected, and nobody sees its keys again', {
  timeout: 120_000,
}, async () => {
  const { page, context } = await house.open(house.token, house.place('connections'))
  await page.getByText('No connections').waitFor()
  await lookAt(page, 'connections-none')
  await tabTo(page, 'New connection')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').getByLabel('Name').waitFor()
  await page.keyboard.type('Vault')
  await typeKeys(page, 'not-the-secret')
  await tabTo(page, 'Folder')
  await page.keyboard.type('/incoming/')
  await lookAt(page, 'connection-dialog')
  await page.keyboard.press('Enter')

  await page.getByRole('heading', { name: 'Vault' }).waitFor()
  const wrong = page.getByRole('alert').filter({ hasText: 'The secret key is not the right one.' })
  await wrong.waitFor()
  await tabTo(page, 'Try it')
  await page.keyboard.press('Enter')
  await wrong.nth(1).waitFor()
  await picture(page, 'connection-refused')

  await tabTo(page, 'Actions for Vault')
  await page.keyboard.press('Enter')
  await page.getByRole('menuitem', { name: 'Edit' }).waitFor()
  await page.keyboard.press('Enter')
  await tabTo(page, 'Folder')
  assert.equal(await page.getByRole('dialog').getByLabel('Folder').inputValue(), 'incoming')
  await page.getByRole('checkbox', { name: 'Change bucket and keys' }).press('Space')
  assert.equal(await page.getByLabel('Secret key').inputValue(), '')
  await picture(page, 'connection-edit')
  await typeKeys(page, keys().secret_access_key)
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.getByText('Nothing in here').waitFor()
  await page.getByRole('button', { name: 'Try it' }).press('Enter')
  await page.getByText('It works: packages can be sent there, and files can be read.').waitFor()
  await lookAt(page, 'connection-works')
  assert.equal((await page.content()).includes(keys().secret_access_key), false)
  await context.close()
})

test('a package goes to a bucket: a failure says why, is tried again and arrives, and the files are seen there', {
  timeout: 180_000,
}, async () => {
  const many = Object.fromEntries(
    Array.from({ length: 230 }, (_, n) => [`stills/still ${1_000 + n}.jpg`, `still ${n}`]),
  )
  const sent = await send('Stills of the day', { ...many, [`${nasty.replaceAll('/', '')}.txt`]: 'text' })
  const archive = await connect('Archive', { authorization: keys({ secret_access_key: 'wrong' }) })
  const { page, context, complaints } = await house.open(house.token, house.place(`packages/${sent}`))
  await page.getByRole('tab', { name: 'Storage' }).click()
  await page.getByText('Not sent to storage yet').waitFor()
  await picture(page, 'transfers-none')
  await tabTo(page, 'Send to storage')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').getByLabel('To').selectOption({ label: 'Archive' })
  await picture(page, 'transfer-dialog')
  await tabTo(page, 'Send')
  await page.keyboard.press('Enter')
  const transfer = page.getByRole('article', { name: 'Archive' })
  await transfer.getByText('Failed').waitFor({ timeout: 120_000 })
  await transfer.getByText('The secret key is not the right one.').waitFor()
  await lookAt(page, 'transfer-failed')

  const right = { authorization: keys(), target_directory: 'kept' }
  await calls().call(updateConnection, { params: { cloud_connection_id: archive.id }, body: right })
  await tabTo(page, 'Try again')
  await page.keyboard.press('Enter')
  await transfer.getByText('Arrived').waitFor({ timeout: 90_000 })
  await picture(page, 'transfer-arrived')
  const { digests } = await readCustomerBucket(house.instance.stack, bucket)
  const folder = [...digests.keys()].find((key) => key.endsWith('/stills/still 1007.jpg'))?.slice(0, -22) ?? ''
  assert.equal(digests.get(`${folder}/stills/still 1007.jpg`), createHash('sha256').update('still 7').digest('hex'))
  assert.equal(digests.size, 231)
  assert.deepEqual(complaints, [])

  await page.goto(house.place('connections'))
  await page.getByRole('link', { name: 'Archive' }).press('Enter')
  await page.getByRole('button', { name: 'Top' }).press('Enter')
  await page.getByRole('button', { name: folder }).press('Enter')
  await page.getByText(`${nasty.replaceAll('/', '')}.txt`).waitFor()
  await assertOnlyText(page)
  await lookAt(page, 'connection-folder')
  await page.getByRole('button', { name: 'stills' }).press('Enter')
  await page.getByText('still 1000.jpg').waitFor()
  const rows = page.getByRole('table', { name: 'Files' }).getByRole('row')
  assert.equal(await rows.count(), 201)
  await page.getByRole('button', { name: 'Show more' }).press('Enter')
  await page.getByText('still 1229.jpg').waitFor()
  assert.equal(await rows.count(), 231)
  await page.goBack()
  await page.getByRole('button', { name: 'stills' }).waitFor()
  await context.close()
})

test('a transfer that waits for a store that is away is cancelled', { timeout: 120_000 }, async () => {
  await connect('Far away', { authorization: keys({ endpoint: 'http://127.0.0.1:1025' }) })
  const sent = await send('Slow boat', { 'a.txt': 'a' })
  const { page, context } = await house.open(house.token, house.place(`packages/${sent}`))
  await page.getByRole('tab', { name: 'Storage' }).click()
  await page.getByRole('button', { name: 'Send to storage' }).click()
  await page.getByRole('dialog').getByLabel('To').selectOption({ label: 'Far away' })
  await page.getByRole('dialog').getByRole('button', { name: 'Send' }).click()
  const transfer = page.getByRole('article', { name: 'Far away' })
  await transfer.getByRole('progressbar').waitFor()
  await lookAt(page, 'transfer-waiting')
  await transfer.getByRole('button', { name: 'Cancel' }).press('Enter')
  await transfer.getByText('Cancelled').waitFor()
  await transfer.getByRole('button', { name: 'Try again' }).waitFor()
  await context.close()
})

test('a folder behind an agent is told once how to connect, and the page says what to do until it is there', {
  timeout: 120_000,
}, async () => {
  const { page, context } = await house.open(house.token, house.place('connections'))
  await page.getByRole('button', { name: 'New connection' }).press('Enter')
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('radio', { name: 'Folder behind an agent' }).press('Space')
  assert.equal(await dialog.getByLabel('Secret key').count(), 0)
  await dialog.getByLabel('Name').fill("Jo's NAS")
  await dialog.getByLabel('Direction').selectOption('export')
  await picture(page, 'gateway-dialog')
  await dialog.getByRole('button', { name: 'Save' }).press('Enter')

  await page.getByLabel('Folder on that machine').fill('/srv/day files')
  const secret = await page.getByLabel('Secret that the command asks for').inputValue()
  assert.match(secret, /^lsg_/)
  const command = await page.getByLabel('Command', { exact: true }).inputValue()
  assert.match(
    command,
    /^longshore gateway add '\/srv\/day files' --id [0-9a-f-]{36} --name 'Jo'\\''s NAS' --permissions w$/,
  )
  await page.keyboard.press('Escape')
  await lookAt(page, 'gateway-made')
  await page.getByRole('button', { name: 'I have it' }).press('Enter')

  await page.getByText('The agent is not connected').waitFor()
  await page.getByText('Not connected', { exact: true }).waitFor()
  await page.getByText('Never connected before?').press('Enter')
  await page.getByLabel('Command', { exact: true }).waitFor()
  await lookAt(page, 'gateway-away')
  assert.equal((await page.content()).includes(secret), false)
  await page.getByRole('button', { name: 'Try it' }).press('Enter')
  await page.getByRole('alert').filter({ hasText: 'longshore agent start' }).waitFor()
  await page.getByRole('link', { name: 'Storage' }).first().click()
  await page
    .getByRole('row', { name: /Jo's NAS/ })
    .getByText('Not connected')
    .waitFor()
  await lookAt(page, 'connections')
  await context.close()
})

test('a Portal sends on what it gets, and whoever deletes the connection is told so', {
  timeout: 120_000,
}, async () => {
  await connect(nasty, { direction: 'export' })
  await connect('Only to read', { direction: 'import' })
  const { page, context, complaints } = await house.open(house.token, house.place('portals/new'))
  await page.getByLabel('Name', { exact: true }).fill('Camera cards')
  const choices = page.getByRole('group', { name: 'Send packages on to' })
  await choices.getByRole('checkbox', { name: nasty }).press('Space')
  assert.equal(await choices.getByRole('checkbox', { name: 'Only to read' }).count(), 0)
  await lookAt(page, 'portal-connections')
  await page.getByRole('button', { name: 'Create Portal' }).press('Enter')
  await page.waitForURL(/portals\/[0-9a-f-]{36}$/)
  await page.reload()
  await choices.getByRole('checkbox', { name: nasty }).and(page.locator(':checked')).waitFor()

  await page.goto(house.place('connections'))
  await page.getByRole('link', { name: nasty }).press('Enter')
  await page.getByRole('button', { name: `Actions for ${nasty}` }).press('Enter')
  await page.getByRole('menuitem', { name: 'Delete' }).press('Enter')
  const dialog = page.getByRole('dialog')
  await dialog.getByText('These Portals send nothing there any more:').waitFor()
  await dialog.getByRole('listitem').filter({ hasText: 'Camera cards' }).waitFor()
  await lookAt(page, 'connection-delete')
  await dialog.getByRole('button', { name: 'Delete' }).press('Enter')
  await page.getByRole('link', { name: 'Vault' }).waitFor()
  await page.getByRole('link', { name: nasty }).waitFor({ state: 'detached' })
  await assertOnlyText(page)
  // The Portal has no form, and the agent of a gateway is away.
  assert.deepEqual(
    complaints.filter((complaint) => !/ 404 | 503 /.test(complaint)),
    [],
  )
  await context.close()
})

test('files that lie in storage become a package, chosen by the keyboard alone', { timeout: 120_000 }, async () => {
  const shelf = await connect('Shelf')
  const shelved = await send('Reels', {
    'reel 1/a.mov': 'aa',
    'reel 1/b/c.mov': 'c',
    'reel 2/d.mov': 'd',
    'e.txt': 'e',
  })
  await carried(shelved, shelf.id)
  const nameless = [[`Reels-${shelved.slice(-8)}//f.txt`, Buffer.from('f')]] as const
  await fillCustomerBucket(house.instance.stack, bucket, nameless)
  const { page, context, complaints } = await house.open(house.token, house.place('send'))
  // What is typed before somebody turns to the storage is there too.
  await page.getByLabel('Name', { exact: true }).fill('From the shelf')
  await tabTo(page, 'From this device')
  await page.keyboard.press('ArrowRight')
  await page.getByLabel('Storage', { exact: true }).selectOption({ label: 'Shelf' })
  await page.getByRole('button', { name: `Reels-${shelved.slice(-8)}` }).press('Enter')
  await page.getByRole('checkbox', { name: 'Choose reel 1' }).press('Space')
  await page.getByRole('button', { name: 'reel 1' }).press('Enter')
  const along = page.getByRole('checkbox', { name: 'Choose a.mov' })
  await along.and(page.locator(':checked:disabled')).waitFor()
  await page.getByRole('button', { name: `Reels-${shelved.slice(-8)}` }).press('Enter')
  await page.getByRole('checkbox', { name: 'Choose e.txt' }).press('Space')
  await page.getByText('2 chosen').waitFor()
  const row = page.getByRole('row', { name: /empty name/ })
  await row.waitFor()
  assert.equal(await row.getByRole('button').or(row.getByRole('checkbox')).count(), 0)
  await lookAt(page, 'send-from-storage')
  const name = page.getByLabel('Name', { exact: true })
  assert.equal(await name.inputValue(), 'From the shelf')
  await name.press('Enter')

  await page.getByRole('heading', { name: 'From the shelf' }).waitFor()
  await page.getByText('Ready', { exact: true }).waitFor({ timeout: 120_000 })
  for (const name of ['reel 1', 'a.mov', 'c.mov', 'e.txt']) await page.getByText(name, { exact: true }).waitFor()
  assert.equal(await page.getByText('d.mov').count(), 0)
  await page.getByRole('tab', { name: 'Storage' }).click()
  await page.getByRole('article', { name: 'From Shelf' }).getByText('Arrived').waitFor()
  await picture(page, 'package-from-storage')
  assert.deepEqual(complaints, [])
  await context.close()
})

test('a folder behind an agent is seen as soon as the agent is there, and a package arrives in it', {
  timeout: 120_000,
}, async (t) => {
  const home = await mkdtemp(join(tmpdir(), 'browser-gateway-'))
  const root = join(home, 'nas')
  await mkdir(join(root, 'day 1'), { recursive: true })
  await writeFile(join(root, 'day 1', 'a.mov'), 'aaa')
  const agent = await startAgent({
    cloudUrl: house.instance.url,
    dataDir: join(home, 'data'),
    logFile: join(home, 'agent.log'),
  })
  t.after(async () => {
    await agent.stop()
    await rm(home, { recursive: true, force: true })
  })
  const { id, secret = '' } = await calls().call(createConnection, {
    params: { team_id: house.team.team_id },
    body: { name: 'NAS', provider: 'storage_gateway', direction: 'both' },
  })
  const { page, context } = await house.open(house.token, house.place(`connections/${id}`))
  await page.getByText('The agent is not connected').waitFor()
  await createClient({ baseUrl: agent.url }).call(registerGateway, {
    body: { id, secret, name: 'NAS', permissions: 'rw', root_path: root },
  })
  await page.getByRole('button', { name: 'day 1' }).press('Enter')
  await page.getByRole('row', { name: /a\.mov.*3 B/ }).waitFor()
  await page.getByText('Connected', { exact: true }).waitFor()
  await lookAt(page, 'gateway-folder')

  await page.getByRole('button', { name: 'Actions for NAS' }).press('Enter')
  await page.getByRole('menuitem', { name: 'New secret' }).press('Enter')
  await page.getByRole('dialog').getByRole('button', { name: 'New secret' }).press('Enter')
  const renewed = await page.getByLabel('Secret that the command asks for').inputValue()
  const command = await page.getByLabel('Command', { exact: true }).first().inputValue()
  assert.equal(command, `longshore gateway set ${id} --secret`)
  await lookAt(page, 'gateway-renewed')
  await page.getByRole('button', { name: 'I have it' }).press('Enter')
  await page.getByText('The agent is not connected').waitFor()
  assert.equal((await page.content()).includes(renewed), false)
  await createClient({ baseUrl: agent.url }).call(updateGateway, { body: { id, secret: renewed } })
  await page.getByText('Connected', { exact: true }).waitFor()
  await page.getByRole('row', { name: /a\.mov.*3 B/ }).waitFor()

  const sent = await send('For the NAS', { 'reel/b.mov': 'bbb' })
  await page.goto(house.place(`packages/${sent}`))
  await page.getByRole('tab', { name: 'Storage' }).click()
  await page.getByRole('button', { name: 'Send to storage' }).click()
  await page.getByRole('dialog').getByLabel('To').selectOption({ label: 'NAS' })
  await page.getByRole('dialog').getByRole('button', { name: 'Send' }).click()
  await page.getByRole('article', { name: 'NAS' }).getByText('Arrived').waitFor({ timeout: 120_000 })
  assert.equal(await readFile(join(root, `For the NAS-${sent.slice(-8)}`, 'reel', 'b.mov'), 'utf8'), 'bbb')
  await context.close()
})
