import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Given, namer, plainNames } from '#names'

const given = (full: string): Given => {
  const kind = full.endsWith('/') ? 'directory' : 'file'
  const components = full.replace(/\/$/, '').split('/')
  const name = components.pop() ?? ''
  return { path: components.join('/'), name, kind }
}

const windows = (...names: readonly string[]) => {
  const give = namer('windows')
  return names.map((name) => give(given(name)).name)
}

test('a Mac gets every name as it was given', () => {
  const names = ['a', 'A', 'con', 'what?.txt', 'e\u0301', '\u00e9', 'x. ', 'sub/', 'sub/:file']
  const mac = namer('mac')
  assert.deepEqual(
    names.map((name) => mac(given(name)).name),
    names,
  )
})

for (const [name, clean] of [
  ['plain name.txt', 'plain name.txt'],
  ['漢字/Ünï.txt', '漢字/Ünï.txt'],
  ['what?.txt', 'what_.txt'],
  ['a<b>c:d"e|f*g', 'a_b_c_d_e_f_g'],
  ['file.txt:stream', 'file.txt_stream'],
  ['dot.', 'dot'],
  ['space ', 'space'],
  ['. . .', '_'],
  ['CON', '_CON'],
  ['nul.txt', '_nul.txt'],
  ['aux.', '_aux'],
  ['LPT¹', '_LPT¹'],
  ['com0.tar.gz', '_com0.tar.gz'],
  ['CONIN$', '_CONIN$'],
  ['con .txt', '_con .txt'],
  ['console', 'console'],
  ['com10', 'com10'],
  ['prn/aux/file', '_prn/_aux/file'],
  ['cafe\u0301', 'café'],
  [' leading', ' leading'],
  ['.gitignore', '.gitignore'],
] as const) {
  test(`Windows gets '${name}' as '${clean}'`, () => {
    assert.deepEqual(windows(name), [clean])
    assert.equal(plainNames('windows')(given(name)), clean)
  })
}

test('names that become the same are numbered, in the order of the entries', () => {
  assert.deepEqual(windows('a?.txt', 'a*.txt', 'A_.TXT', 'a_ (2).txt'), [
    'a_.txt',
    'a_ (2).txt',
    'A_ (3).TXT',
    'a_ (2) (2).txt',
  ])
})

test('case, composed forms, sharp s and ligatures count as the same name', () => {
  assert.deepEqual(windows('Straße', 'STRASSE', 'ﬁn', 'fin', 'é', 'e\u0301', 'É'), [
    'Straße',
    'STRASSE (2)',
    'ﬁn',
    'fin (2)',
    'é',
    'é (2)',
    'É (3)',
  ])
})

test('folders that become the same are one folder, and what clashes in it is numbered', () => {
  assert.deepEqual(windows('Day/', 'Day/one', 'day/', 'day/one', 'day/two', 'a:/x', 'a?/x'), [
    'Day/',
    'Day/one',
    undefined,
    'day/one (2)',
    'day/two',
    'a_/x',
    'a_/x (2)',
  ])
})

test('a folder and a file never take the same place, whichever comes first', () => {
  assert.deepEqual(windows('x', 'X/one', 'x/two', 'X (2)', 'X/'), [
    'x',
    'X (2)/one',
    'X (2)/two',
    'X (2) (2)',
    'X (2)/',
  ])
  assert.deepEqual(windows('y/one', 'Y'), ['y/one', 'Y (2)'])
})

test('a number fits into the longest name, and no character is cut in half', () => {
  const long = '𝄞'.repeat(63)
  const names = windows(`${long}.a`, `${long}.A`)
  for (const name of names) {
    assert.ok((name ?? '').length <= 255)
    assert.ok(name?.isWellFormed())
  }
  const longest = 'n'.repeat(255)
  assert.deepEqual(windows(longest, longest.toUpperCase()), [longest, `${'N'.repeat(251)} (2)`])
})

const component = fc.string({
  unit: fc.constantFrom('a', 'A', '?', ':', '.', ' ', 'é', 'ß', '(2)', 'con'),
  minLength: 1,
  maxLength: 3,
})
const full = fc
  .tuple(fc.array(component, { minLength: 1, maxLength: 3 }), fc.boolean())
  .map(([components, folder]) => `${components.join('/')}${folder ? '/' : ''}`)

test('whatever comes, no two entries share a place, and no file stands where a folder is', () =>
  fc.assert(
    fc.property(fc.uniqueArray(full, { maxLength: 40 }), (names) => {
      const placed = windows(...names).filter((name) => name !== undefined)
      const fold = (name: string) => name.normalize('NFKC').toUpperCase()
      const folders = new Set(
        placed.flatMap((name) => {
          const parts = name.split('/').slice(0, -1)
          return parts.map((_, depth) => fold(parts.slice(0, depth + 1).join('/')))
        }),
      )
      const files = placed.filter((name) => !name.endsWith('/')).map(fold)
      assert.equal(new Set(files).size, files.length)
      assert.deepEqual(
        files.filter((file) => folders.has(file)),
        [],
      )
      const own = placed.filter((name) => name.endsWith('/')).map(fold)
      assert.equal(new Set(own).size, own.length)
      assert.equal(files.length, names.filter((name) => !name.endsWith('/')).length, 'no file is lost')
    }),
    { numRuns: 500 },
  ))

test('a name is called plain if it is the one that needs no other to be known', () =>
  fc.assert(
    fc.property(fc.uniqueArray(full, { maxLength: 30 }), (names) => {
      const give = namer('windows')
      const plain = plainNames('windows')
      for (const one of names.map(given)) {
        const { name, isPlain } = give(one)
        if (isPlain) assert.equal(name, plain(one))
      }
    }),
    { numRuns: 300 },
  ))

test('what lies in a folder keeps lying together, however many entries come between', () =>
  fc.assert(
    fc.property(fc.array(component, { maxLength: 30 }), (between) => {
      const names = windows('a', 'A/first', ...between, 'A/second')
      assert.equal(names[1]?.split('/')[0], names.at(-1)?.split('/')[0])
    }),
  ))

test('a hundred thousand names that become one are numbered without delay', () => {
  const marks = ['?', '*', ':', '|', '<', '>', '"']
  const give = namer('windows')
  const seen = new Set<string>()
  const startedAt = performance.now()
  for (let index = 0; index < 100_000; index++) {
    const name = Array.from({ length: 7 }, (_, place) => marks[Math.floor(index / 7 ** place) % 7]).join('')
    seen.add(give({ path: '', name, kind: 'file' }).name ?? '')
  }
  assert.equal(seen.size, 100_000)
  // One look for each number before it would be minutes.
  assert.ok(performance.now() - startedAt < 20_000)
})
