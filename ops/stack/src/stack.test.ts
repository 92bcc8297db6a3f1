import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import {
  AbortMultipartUploadCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
} from '@aws-sdk/client-s3'
import { ask } from '#ask'
import { s3Client } from '#bucket'
import { portIsFree, portsFrom } from '#ports'
import { destroy, down, makeBucket, readStack, reset, type Stack, status, up } from '#stack'

const quiet = () => {}
const portBase = 19400
let folder: string
let stack: Stack
let neighbour: Stack

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'longshore-stack-'))
  stack = await up({ data: join(folder, 'one'), portBase, say: quiet })
  neighbour = await up({ data: join(folder, 'two'), portBase: portBase + 100, say: quiet })
})

after(async () => {
  await Promise.all((await readdir(folder)).map((name) => destroy({ data: join(folder, name) })))
  await rm(folder, { recursive: true })
})

const upAgain = () => up({ data: stack.data, say: quiet })
const states = async ({ data }: Stack) => new Set((await status({ data })).map(({ state }) => state))

test('a second up starts nothing and describes the same stack', async () => {
  assert.deepEqual(await upAgain(), stack)
})

test('two ups at once start each engine once', async () => {
  await down(stack)
  const [first, second] = await Promise.all([upAgain(), upAgain()])
  assert.deepEqual(first, second)
  assert.equal(Object.keys(first.pids).length, 8)
  stack = first
})

test('the description is in a file that only its owner may read', async () => {
  assert.deepEqual(await readStack(stack.data), stack)
  for (const name of ['stack.json', 'identity.json']) {
    assert.equal((await stat(join(stack.data, name))).mode & 0o777, 0o600, name)
  }
})

test('each stack has secrets of its own', () => {
  assert.notEqual(stack.s3.upload.secret_key, neighbour.s3.upload.secret_key)
  assert.notEqual(new URL(stack.database_url).password, new URL(neighbour.database_url).password)
  assert.notEqual(new URL(stack.redis_url).password, new URL(neighbour.redis_url).password)
})

test('PostgreSQL answers SQL with durable writes, and nothing without the password', async () => {
  const settings = await sql(stack.database_url, "select current_setting('fsync'), current_setting('max_connections')")
  assert.equal(settings, 'on|200')
  const wrong = stack.database_url.replace(/:[^:@]+@/, ':wrong@')
  await assert.rejects(sql(wrong, 'select 1'), /password authentication failed/)
})

test('Redis answers PING with the password, and refuses without it', async () => {
  const { port, password } = new URL(stack.redis_url)
  const to = { host: '127.0.0.1', port: Number(port) }
  const line = (answer: string) => answer.endsWith('\r\n')
  assert.match(await ask(to, 'PING\r\n', line), /^-NOAUTH/)
  assert.match(await ask(to, `AUTH ${password}\r\nPING\r\n`, (answer) => answer.includes('PONG')), /^\+OK/)
})

test('clamd finds the EICAR test file in a stream, and nothing in another', async () => {
  const virus = ['X5O!P%@AP[4\\PZX54(P^)7CC)7}$', 'EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*'].join('')
  assert.match(await scan(virus), /Eicar-Test-Signature.* FOUND/)
  assert.match(await scan(virus.replace('EICAR', 'SUGAR')), /^stream: OK/)
})

test('a mail that goes in by SMTP comes out as JSON, oldest first, until it is deleted', async () => {
  const messages = `${stack.mail_url}/messages`
  await fetch(messages, { method: 'DELETE' })
  await sendMail('first', ['b@example.com', 'blind@example.com'])
  await sendMail('second', ['c@example.com'])

  const [first, second, ...more] = (await (await fetch(messages)).json()) as Record<string, unknown>[]
  assert.deepEqual(more, [])
  const { received_at, headers, ...content } = first ?? {}
  assert.deepEqual(content, {
    from: 'a@example.com',
    to: ['b@example.com', 'blind@example.com'],
    subject: 'first ü',
    text: 'Hello\n',
    html: null,
  })
  assert.ok(Date.now() - Date.parse(String(received_at)) < 60_000)
  assert.ok((headers as { key: string; value: string }[]).some(({ key, value }) => key === 'x-test' && value === 'yes'))
  assert.equal(second?.['subject'], 'second ü')

  assert.equal((await fetch(messages, { method: 'DELETE' })).status, 204)
  assert.deepEqual(await (await fetch(messages)).json(), [])
})

test('the upload user may put and abort, and neither read nor list', async () => {
  const [upload, read, janitor] = [client('upload'), client('read'), client('janitor')]
  const what = { Bucket: stack.s3.bucket, Key: 'a/b' }
  await upload.send(new PutObjectCommand({ ...what, Body: 'hello' }))
  const { UploadId } = await upload.send(new CreateMultipartUploadCommand(what))
  await upload.send(new AbortMultipartUploadCommand({ ...what, UploadId }))

  await assert.rejects(upload.send(new GetObjectCommand(what)), { name: 'AccessDenied' })
  await assert.rejects(upload.send(new ListObjectsV2Command({ Bucket: what.Bucket })), { name: 'AccessDenied' })
  await assert.rejects(read.send(new PutObjectCommand({ ...what, Body: 'other' })), { name: 'AccessDenied' })
  await assert.rejects(read.send(new ListObjectsV2Command({ Bucket: what.Bucket })), { name: 'AccessDenied' })

  const { Body } = await read.send(new GetObjectCommand(what))
  assert.equal(await Body?.transformToString(), 'hello')
  assert.equal((await janitor.send(new HeadObjectCommand(what))).ContentLength, 5)
})

test('an object that is uploaded as public stays private', async () => {
  await client('upload').send(
    new PutObjectCommand({ Bucket: stack.s3.bucket, Key: 'public', Body: 'hello', ACL: 'public-read' }),
  )
  assert.equal((await fetch(`${stack.s3.endpoint}/${stack.s3.bucket}/public`)).status, 403)
})

test('a further bucket has the same rights, and making it twice does no harm', async () => {
  await makeBucket(stack, 'further')
  await client('upload').send(new PutObjectCommand({ Bucket: 'further', Key: 'k', Body: 'hello' }))
  await makeBucket(stack, 'further')
  await assert.rejects(client('upload').send(new GetObjectCommand({ Bucket: 'further', Key: 'k' })), {
    name: 'AccessDenied',
  })
  await client('read').send(new GetObjectCommand({ Bucket: 'further', Key: 'k' }))
})

for (const name of ['redis', 'postgres', 'nginx', 'ceph-osd']) {
  test(`after a kill of ${name} status says so, and up restores only that`, async () => {
    const before = stack.pids
    process.kill(before[name] ?? 0, 'SIGKILL')
    while ((await status(stack)).find((engine) => engine.name === name)?.state !== 'stopped');

    stack = await upAgain()
    assert.notEqual(stack.pids[name], before[name])
    assert.deepEqual({ ...stack.pids, [name]: 0 }, { ...before, [name]: 0 })
    assert.deepEqual(await states(stack), new Set(['running']))
  })
}

test('an engine that hangs is reported as not serving', async () => {
  const pid = stack.pids['redis'] ?? 0
  process.kill(pid, 'SIGSTOP')
  try {
    const redis = (await status(stack)).find(({ name }) => name === 'redis')
    assert.deepEqual(redis, { name: 'redis', state: 'not serving', pid })
  } finally {
    process.kill(pid, 'SIGCONT')
  }
})

test('data outlives down and up', async () => {
  await sql(stack.database_url, 'create table kept as select 7 as value')
  await client('upload').send(new PutObjectCommand({ Bucket: stack.s3.bucket, Key: 'kept', Body: 'seven' }))
  await down(stack)
  stack = await upAgain()
  assert.equal(await sql(stack.database_url, 'select value from kept'), '7')
  const { Body } = await client('read').send(new GetObjectCommand({ Bucket: stack.s3.bucket, Key: 'kept' }))
  assert.equal(await Body?.transformToString(), 'seven')
})

test('down leaves no process and no open port, and does not touch the stack beside it', async () => {
  await down(stack)
  assert.deepEqual(await processesOf(stack.data), [])
  const { osdFirst, osdLast, ...ports } = portsFrom(portBase)
  const storage = Array.from({ length: osdLast - osdFirst + 1 }, (_, index) => osdFirst + index)
  const free = await Promise.all([...Object.values(ports), ...storage].map(portIsFree))
  assert.ok(free.every(Boolean))
  assert.deepEqual(await states(stack), new Set(['stopped']))

  assert.deepEqual(await states(neighbour), new Set(['running']))
  assert.deepEqual((await up({ data: neighbour.data, say: quiet })).pids, neighbour.pids)
  stack = await upAgain()
})

test('a stale pid file does not make down end a process of someone else', async (t) => {
  const stranger = spawn('sleep', ['60'])
  t.after(() => stranger.kill())
  await down(stack)
  await writeFile(join(stack.data, 'redis', 'redis.pid'), `${stranger.pid}\n`)
  await down(stack)
  assert.equal(stranger.exitCode ?? stranger.signalCode, null)
  stack = await upAgain()
})

test('a port in use is named, and nothing is started', async (t) => {
  const data = join(folder, 'three')
  const base = portBase + 200
  const holder = createServer().listen(base + 1, '127.0.0.1')
  t.after(() => holder.close())
  await assert.rejects(up({ data, portBase: base, say: quiet }), /port 19601 \(for redis\).*--port-base/)
  assert.deepEqual(await processesOf(data), [])
})

test('another port base for existing data is refused', async () => {
  await assert.rejects(up({ data: stack.data, portBase: 19900, say: quiet }), /was made with port base 19400/)
})

test('a folder that holds something else is neither used nor deleted', async () => {
  const data = join(folder, 'four')
  await mkdir(data)
  await writeFile(join(data, 'thesis.txt'), 'years of work')
  await assert.rejects(up({ data, portBase: portBase + 200, say: quiet }), /is not empty and holds no stack/)
  await assert.rejects(reset({ data, say: quiet }), /is not empty and holds no stack/)
  assert.deepEqual(await readdir(data), ['thesis.txt'])
})

const client = (user: 'upload' | 'read' | 'janitor') => s3Client(stack.s3.endpoint, stack.s3[user])

async function sql(url: string, statement: string): Promise<string> {
  const { stdout } = await promisify(execFile)('psql', [url, '--no-psqlrc', '-Atc', statement])
  return stdout.trim()
}

function scan(content: string): Promise<string> {
  const question = `zINSTREAM\0\0\0\0${String.fromCharCode(content.length)}${content}\0\0\0\0`
  return ask(stack.clamd, question, (answer) => answer.endsWith('\0'))
}

async function sendMail(subject: string, to: readonly string[]): Promise<void> {
  const { hostname: host, port } = new URL(stack.smtp_url)
  const socket = connect({ host, port: Number(port) }).setEncoding('utf8')
  const content = `From: A <a@example.com>\r\nTo: b@example.com\r\nSubject: ${subject} =?utf-8?q?=C3=BC?=\r\nX-Test: yes\r\n\r\nHello\r\n.`
  const recipients = to.map((address) => `RCPT TO:<${address}>`)
  const lines = ['EHLO test', 'MAIL FROM:<a@example.com>', ...recipients, 'DATA', content, 'QUIT']
  for await (const reply of socket) {
    assert.match(reply, /^[23]/)
    // The last line of a reply has a blank after its code.
    if (/^\d{3} .*\r\n$/m.test(reply)) socket.write(`${lines.shift() ?? ''}\r\n`)
  }
}

async function processesOf(data: string): Promise<string[]> {
  const pids = (await readdir('/proc')).filter((entry) => /^\d+$/.test(entry))
  const lines = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')))
  return lines.filter((line) => line.includes(`${data}/`))
}
