import assert from 'node:assert/strict'
import { posix, win32 } from 'node:path'
import { test } from 'node:test'
import { HostFault } from '@longshore/transfer/faults'
import fc from 'fast-check'
import { localComponents, numbered, packageFolder } from '#host/safe-path'

const isRefused = (error: unknown) => error instanceof HostFault && error.code === 'destination_refused'

const placeOf = (full: string) => {
  const slash = full.lastIndexOf('/')
  return { path: slash === -1 ? '' : full.slice(0, slash), name: full.slice(slash + 1) }
}

for (const full of ['../x', 'a/../../x', 'a/./b', '/etc/passwd', '//x', 'a/', '..', '.', '', 'a//b']) {
  test(`81: ${JSON.stringify(full)} is not written`, () => {
    assert.throws(() => localComponents(placeOf(full)), isRefused)
  })
}

for (const full of ['..\\x', 'C:\\x', '\\\\srv\\share\\x', '\\\\?\\C:\\x', 'a/..\\..\\x']) {
  test(`82: ${JSON.stringify(full)} is not written`, () => {
    assert.throws(() => localComponents(placeOf(full)), isRefused)
  })
}

for (const full of ['%2e%2e%2fx', '..%c0%af', '．．／x', '‥/x']) {
  test(`83: ${JSON.stringify(full)} is what it says and nothing is decoded`, () => {
    assert.equal(localComponents(placeOf(full)).join('/'), full)
  })
}

for (const name of ['a\0b', 'a\r\nb', '\x1b]0;title\x07']) {
  test(`84: ${JSON.stringify(name)} is not written, and its message can be shown on a terminal`, () => {
    assert.throws(
      () => localComponents({ path: '', name }),
      (error) => isRefused(error) && !/[\0-\x1f\x7f]/.test((error as Error).message),
    )
  })
}

test('85: names of devices, and dots and blanks at the end, become others on Windows and stay elsewhere', () => {
  const on = (platform: NodeJS.Platform, name: string) => localComponents({ path: '', name }, platform)[0]
  const windows = { CON: '_CON', 'nul.txt': '_nul.txt', COM1: '_COM1', 'LPT¹': '_LPT¹', 'aux.': '_aux', 'a. .': 'a' }
  for (const [name, clean] of Object.entries(windows)) {
    assert.equal(on('win32', name), clean)
    assert.equal(on('linux', name), name)
  }
})

test('82, 86: no colon reaches Windows, where it would name a drive or a stream', () => {
  for (const name of ['C:x', 'file.txt:stream', 'a.php::$DATA']) {
    assert.doesNotMatch(localComponents({ path: '', name }, 'win32').join('/'), /:/)
  }
})

test('87: a component of 256 bytes, a path of over 4,096, ten thousand levels are not written', () => {
  assert.throws(() => localComponents({ path: '', name: 'x'.repeat(256) }), isRefused)
  assert.throws(() => localComponents({ path: 'x/'.repeat(2_048), name: 'x' }), isRefused)
  assert.throws(
    () => localComponents({ path: Array.from({ length: 10_000 }, () => 'x').join('/'), name: 'x' }),
    isRefused,
  )
})

test('whatever is taken stays inside the folder, on every system', () => {
  const wicked = fc
    .array(fc.oneof(fc.constantFrom('..', '.', '/', '\\', '\0', ':', ' ', 'C:', 'con', '\n', 'a'), fc.string()), {
      maxLength: 6,
    })
    .map((pieces) => pieces.join(''))
  let taken = 0
  fc.assert(
    fc.property(wicked, wicked, (path, name) => {
      for (const [platform, { join, sep }] of [
        ['linux', posix],
        ['win32', win32],
      ] as const) {
        let components: string[]
        try {
          components = localComponents({ path, name }, platform)
        } catch {
          continue
        }
        taken++
        const root = platform === 'win32' ? 'C:\\in' : '/in'
        assert.ok(join(root, ...components).startsWith(root + sep), JSON.stringify(components))
      }
    }),
    { numRuns: 3_000 },
  )
  assert.ok(taken > 300, `only ${taken} were taken, which proves little`)
})

test('97: a package of any name gets a folder of one component, visible and short', () => {
  for (const [name, folder] of Object.entries({
    'Rushes, day 1': 'Rushes, day 1',
    '..': 'Package',
    '.': 'Package',
    '': 'Package',
    CON: '_CON',
    '../../etc': 'etc',
    'a/b\\c': 'a b c',
    '.hidden': 'hidden',
    '🎬': '🎬',
    'line\nbreak': 'line break',
    '\u202egpj.exe': 'gpj.exe',
    'end. ': 'end',
  })) {
    assert.equal(packageFolder(name), folder, JSON.stringify(name))
  }
  assert.ok(Buffer.byteLength(packageFolder('🎬'.repeat(300))) <= 250)
})

test('a number is put before the extension, and the name stays one that a disk takes', () => {
  assert.equal(numbered('a.tar.gz', 2), 'a.tar (2).gz')
  assert.equal(numbered('.hidden', 3), '.hidden (3)')
  assert.ok(Buffer.byteLength(numbered(`${'é'.repeat(125)}.mov`, 12)) <= 255)
})
