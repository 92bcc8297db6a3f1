import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { readConfig } from './config.ts'

const cloud = ['--cloud-url', 'https://transfer.example.com/']

function fileWith(t: TestContext, text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'agent-config-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'secret')
  writeFileSync(path, text)
  return path
}

test('an agent that is told only its server listens on loopback, finalizes and resumes', () => {
  const { cloudUrl, host, port, autoFinalize, autoResume, chunkSize, apiKey, token } = readConfig(cloud, {})
  assert.deepEqual(
    { cloudUrl, host, port, autoFinalize, autoResume, chunkSize, apiKey, token },
    {
      cloudUrl: 'https://transfer.example.com',
      host: '127.0.0.1',
      port: 7070,
      autoFinalize: true,
      autoResume: true,
      chunkSize: 104_857_600,
      apiKey: undefined,
      token: undefined,
    },
  )
})

test('the environment says the same, and the command line goes before it', () => {
  const env = { LONGSHORE_CLOUD_URL: 'http://a', LONGSHORE_AGENT_AUTO_FINALIZE: 'false', LONGSHORE_API_KEY: 'key' }
  assert.equal(readConfig([], env).cloudUrl, 'http://a')
  assert.equal(readConfig([], env).autoFinalize, false)
  assert.equal(readConfig([], env).apiKey, 'key')
  assert.equal(readConfig(['--auto-finalize', 'true', '--cloud-url=http://b'], env).autoFinalize, true)
  assert.equal(readConfig(['--auto-finalize', 'true', '--cloud-url=http://b'], env).cloudUrl, 'http://b')
})

test('a key is read from its file, without the line break behind it', (t) => {
  assert.equal(readConfig([...cloud, '--api-key-file', fileWith(t, 'the-key\n')], {}).apiKey, 'the-key')
})

test('listening beyond loopback takes a token file', (t) => {
  for (const listen of ['0.0.0.0:7070', '192.0.2.1:7070', '[::]:7070', 'agent.example:7070']) {
    assert.throws(() => readConfig([...cloud, '--listen', listen], {}), /token-file/, listen)
  }
  const token = fileWith(t, 'the-token')
  assert.equal(readConfig([...cloud, '--listen', '0.0.0.0:7070', '--token-file', token], {}).token, 'the-token')
  assert.equal(readConfig([...cloud, '--listen', '[::1]:7070'], {}).host, '[::1]')
})

for (const [args, complaint] of [
  [[], /--cloud-url is missing/],
  [['--cloud-url', 'ftp://a'], /no web address/],
  [[...cloud, '--listen', 'somewhere'], /address:port/],
  [[...cloud, '--listen', '127.0.0.1:99999'], /address:port/],
  [[...cloud, '--chunk-size', '5'], /chunk-size/],
  [[...cloud, '--auto-resume', 'yes'], /true or false/],
  [[...cloud, '--token-file', '/nowhere'], /cannot be read/],
  [[...cloud, '--unknown'], /unknown/i],
] as const) {
  test(`refused at the start: ${args.join(' ') || 'nothing'}`, () => {
    assert.throws(() => readConfig(args, {}), complaint)
  })
}
