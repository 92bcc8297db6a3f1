import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { begin } from '#command'
import { newUser, type User } from '#site'

// What a person meets before there is an agent or a server.

let user: User
before(async () => {
  user = await newUser()
  await writeFile(join(user.folder, 'note.txt'), 'note')
  await writeFile(join(user.folder, 'two\nlines.txt'), 'note')
})
after(() => user.leave())

test('the installed package says its version and explains itself', async () => {
  assert.match((await user.longshore('--version')).stdout, /^\d+\.\d+\.\d+\n$/)
  for (const command of [[], ['send'], ['get'], ['settings', 'upload-limit'], ['agent', 'install'], ['doctor']]) {
    const { code, stdout } = await user.longshore(...command, '--help')
    assert.equal(code, 0)
    assert.match(stdout, /^Usage: longshore/)
    assert.match(stdout, command.length === 0 ? /^First steps:\n  \$ longshore login/m : /^Examples:\n  \$ /m)
  }
})

test('the options of the agent are those that the agent itself reads', async () => {
  const { code, stdout } = await user.longshore('agent', 'run', '--help')
  assert.equal(code, 0)
  assert.match(stdout, /^ {2}--cloud-url {2}\(LONGSHORE_CLOUD_URL\)$/m)
})

const refused = [
  { args: ['snd', 'note.txt'], code: 2, said: /unknown command 'snd'\n\(Did you mean send\?\)/ },
  { args: ['send'], code: 2, said: /missing required argument 'path'/ },
  { args: ['send', 'note.txt'], code: 2, said: /Say how: --to ADDRESS mails it, --link makes a link/ },
  { args: ['send', 'note.txt', '--to', 'a@example.test,nobody'], code: 2, said: /'nobody' is no email address\./ },
  { args: ['send', 'nothing.mov', '--link'], code: 2, said: /nothing\.mov is not there\./ },
  {
    args: ['send', 'two\nlines.txt', '--link'],
    code: 2,
    said: /two\\u000alines\.txt cannot be sent: .* Rename it first/,
  },
  { args: ['send', 'note.txt', '--link', '--portal', 'dailies'], code: 2, said: /leave out --to and --link/ },
  { args: ['send', 'note.txt', '--link', '--field', 'a=b'], code: 2, said: /are for --portal/ },
  { args: ['send', 'note.txt', '--link', '--max-downloads', 'many'], code: 2, said: /whole number from 1/ },
  { args: ['send', 'note.txt', '--link'], code: 3, said: /No server is chosen yet\.\n {2}→ longshore login --cloud/ },
  { args: ['get', 'transfer.example.com'], code: 2, said: /is no link\. Copy the whole address/ },
  { args: ['login'], code: 2, said: /Which server\? Add --cloud/ },
  {
    args: ['login', '--cloud', 'http://127.0.0.1:9', '--email', 'a@example.test', '--password-file', 'note.txt'],
    code: 4,
    said: /http:\/\/127\.0\.0\.1:9 does not answer\.\n {2}→ Check the address/,
  },
  { args: ['ls'], code: 4, said: /No agent is running\.\n {2}→ longshore agent start/ },
  { args: ['pause'], code: 4, said: /No agent is running/ },
  { args: ['ls', '--agent', 'http://127.0.0.1:9'], code: 4, said: /No agent answers at http:\/\/127\.0\.0\.1:9/ },
  {
    args: ['ls', '--agent', 'http://127.0.0.1:9', '--agent-token-file', 'nothing'],
    code: 2,
    said: /nothing cannot be read/,
  },
  {
    args: ['settings', 'upload-limit', '20mb/s'],
    code: 2,
    said: /Write it like 20MB\/s \(bytes\) or 20Mbit\/s \(bits\)/,
  },
  { args: ['settings', 'upload-limit', '1MB/s', '--schedule', 'noon'], code: 2, said: /mon-fri 08:00-18:00/ },
  { args: ['agent', 'start', '--data-dir', 'x'], code: 2, said: /Set LONGSHORE_DATA_DIR/ },
  { args: ['verify', 'nothing.json', '.'], code: 2, said: /nothing\.json/ },
]

test('notes that were cut short are as good as none', async () => {
  const data = join(user.folder, 'cut short')
  await mkdir(data)
  for (const name of ['agent.json', 'choices.json']) await writeFile(join(data, name), '{"ur')
  const ran = (...args: string[]) => user.begin(args, { LONGSHORE_DATA_DIR: data }).ended
  assert.match((await ran('ls')).stderr, /No agent is running/)
  assert.match((await ran('agent', 'start')).stderr, /No server is chosen yet/)
})

test('a data folder that is none is told as the system tells it', async () => {
  const ran = await user.begin(['ls'], { LONGSHORE_DATA_DIR: join(user.folder, 'note.txt') }).ended
  assert.equal(ran.code, 1)
  assert.match(ran.stderr, /^error: ENOTDIR: .*note\.txt.*\n$/)
})

for (const { args, code, said } of refused) {
  test(`longshore ${args.join(' ')} ends with ${code} and says what would do`, async () => {
    const ran = await user.longshore(...args)
    assert.match(ran.stderr, said)
    assert.deepEqual({ code: ran.code, stdout: ran.stdout }, { code, stdout: '' })
    assert.doesNotMatch(ran.stderr, /\u001b|^ {4}at /m, 'neither colours in a pipe nor stack traces')
  })
}

test('with --json an error is an object on standard output as well', async () => {
  const { code, stdout } = await user.longshore('ls', '--json')
  assert.equal(code, 4)
  const { event, exit_code, hint } = JSON.parse(stdout) as Record<string, unknown>
  assert.deepEqual({ event, exit_code, hint }, { event: 'error', exit_code: 4, hint: 'longshore agent start' })
})

test('the unit of systemd is shown before anything is written', async () => {
  const { code, stdout } = await user.longshore('agent', 'install', '--print')
  assert.equal(code, 0)
  assert.match(stdout, /^ExecStart=\S*node \S+longshore\.js agent run$/m)
  assert.match(stdout, /^Environment=LONGSHORE_DATA_DIR=\S+data$/m)
  assert.equal((await user.longshore('agent', 'install')).code, 2, 'nobody is there to say yes')
})

test('doctor without an agent says how to get one', async () => {
  const { code, stdout } = await user.longshore('doctor')
  assert.equal(code, 4)
  assert.match(stdout, /^✗ agent +does not run\n +→ longshore agent start$/m)
  assert.match(stdout, /^✗ server +not chosen yet\n +→ longshore login --cloud/m)
  assert.match(stdout, /^✓ this folder +[\d.]+ .B free/m)
})

test('more paths than one package begins with are refused before anything is done', async () => {
  const { code, stderr } = await user.longshore('send', ...Array<string>(10_001).fill('note.txt'), '--link')
  assert.equal(code, 2)
  assert.match(stderr, /10001 paths, and 10000 at most\. Send the folder/)
})

test('a disk that is full when something is printed into it is named', {
  skip: process.platform !== 'linux',
}, async () => {
  const { code, stderr } = await begin('bash', ['-c', 'longshore --json doctor > /dev/full'], user.env).ended
  assert.equal(code, 1)
  assert.match(stderr, /^error: The output could not be written: ENOSPC/m)
  assert.doesNotMatch(stderr, /node:/)
})

/** What a bash that has read our completion makes of a line. */
async function completed(line: string): Promise<string[]> {
  const words = line.split(' ')
  const script = `
    source <(longshore completion bash)
    COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}) COMP_CWORD=${words.length - 1}
    _longshore && printf '%s\\n' "\${COMPREPLY[@]}"`
  const ran = await begin('bash', ['-c', script], user.env).ended
  return ran.stdout.split('\n').filter((word) => word !== '')
}

test('bash completes commands, options and choices', async () => {
  assert.deepEqual(await completed('longshore se'), ['send', 'settings'])
  assert.deepEqual(await completed('longshore settings q'), ['queue'])
  assert.deepEqual(await completed('longshore send --acc'), ['--access-code', '--access-code-file'])
  assert.deepEqual(await completed('longshore get --on-conflict '), ['rename', 'skip', 'overwrite'])
  assert.deepEqual(await completed('longshore completion f'), ['fish'])
  assert.deepEqual(await completed('longshore send note'), [], 'names of files are left to bash')
})

test('who reads only the beginning gets no error at the end', async () => {
  const ran = await begin('bash', ['-c', 'set -o pipefail; longshore --help | head -n 1'], user.env).ended
  assert.deepEqual(ran, { code: 0, stdout: 'Usage: longshore [options] [command]\n', stderr: '' })
})
