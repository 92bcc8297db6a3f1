import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { createBox, hashSecret, parseKeyring, sameSecret } from './secrets.ts'

const secret = () => randomBytes(32).toString('base64url')

test('the first master secret is the one in use, and all of them are known', () => {
  const keyring = parseKeyring(`new:${secret()}, old:${secret()}`)
  assert.equal(keyring.current, 'new')
  assert.deepEqual(keyring.kids, ['new', 'old'])
})

for (const [what, text] of [
  ['nothing', ''],
  ['a secret without a name', secret()],
  ['a name without a secret', 'k1:'],
  ['a secret of 31 bytes', `k1:${randomBytes(31).toString('base64url')}`],
  ['one name twice', `k1:${secret()},k1:${secret()}`],
  ['a name with a space inside', `k 1:${secret()}`],
  ['three pieces', `k1:${secret()}:more`],
] as const) {
  test(`a keyring of ${what} is refused, and the secret is not in the complaint`, () => {
    assert.throws(
      () => parseKeyring(text),
      (error: Error) => text.length < 20 || !error.message.includes(text.slice(5, 20)),
    )
  })
}

test('keys differ by secret and by purpose, and are the same each time', () => {
  const keyring = parseKeyring(`a:${secret()},b:${secret()}`)
  const keys = [keyring.derive('a', 'x'), keyring.derive('a', 'y'), keyring.derive('b', 'x')].map((key) =>
    key.toString('hex'),
  )
  assert.equal(new Set(keys).size, 3)
  assert.deepEqual(keyring.derive('a', 'x'), keyring.derive('a', 'x'))
})

test('what was sealed under an old secret opens while that one is kept, and not after', () => {
  const [old, young] = [`old:${secret()}`, `young:${secret()}`]
  const sealed = createBox(parseKeyring(old)).seal('here', 'words')
  const both = createBox(parseKeyring(`${young},${old}`))
  assert.equal(both.open('here', sealed), 'words')
  assert.equal(both.seal('here', 'words').subarray(1, 6).toString(), 'young')
  assert.throws(() => createBox(parseKeyring(young)).open('here', sealed), /no master secret 'old'/)
})

test('a name that another secret has taken over does not open what the first one sealed', () => {
  const sealed = createBox(parseKeyring(`k1:${secret()}`)).seal('here', 'words')
  assert.throws(() => createBox(parseKeyring(`k1:${secret()}`)).open('here', sealed))
})

test('two seals of one text differ', () => {
  const box = createBox(parseKeyring(`k1:${secret()}`))
  assert.notDeepEqual(box.seal('here', 'words'), box.seal('here', 'words'))
})

test('a value moved to another place does not open there', () => {
  const box = createBox(parseKeyring(`k1:${secret()}`))
  const sealed = box.seal('package/1/password', 'words')
  assert.throws(() => box.open('package/2/password', sealed))
  assert.equal(box.open('package/1/password', sealed), 'words')
})

test('a change of any single byte is noticed', () => {
  const box = createBox(parseKeyring(`k1:${secret()}`))
  const sealed = box.seal('here', 'words')
  for (let index = 0; index < sealed.length; index++) {
    const changed = Buffer.from(sealed)
    changed[index] = (changed[index] ?? 0) ^ 1
    assert.throws(() => box.open('here', changed), `byte ${index}`)
  }
})

test('a value that was cut off anywhere does not open, not even the empty text', () => {
  const box = createBox(parseKeyring(`k1:${secret()}`))
  for (const sealed of [box.seal('here', 'words'), box.seal('here', '')]) {
    for (let length = 0; length < sealed.length; length++) {
      assert.throws(() => box.open('here', sealed.subarray(0, length)), `${length} of ${sealed.length} bytes`)
    }
  }
})

test('secrets are compared whole', () => {
  assert.equal(sameSecret('abc', 'abc'), true)
  assert.equal(sameSecret('abc', 'abd'), false)
  assert.equal(sameSecret('abc', 'abcd'), false)
  assert.equal(sameSecret('', 'a'), false)
  assert.notDeepEqual(hashSecret('a'), hashSecret('b'))
})
