import assert from 'node:assert/strict'
import { createHmac, createSign, generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto'
import { whoAmI } from '@longshore/contract/cloud/account'
import { readPackage } from '@longshore/contract/cloud/packages'
import { ask, errorOf, refused, use } from '#calls'
import { makeMember, removeMember } from '#members'
import { claimsOf, mint, now, packageToken, tokenKey, userToken } from '#mint'
import { test } from '#record'
import { target } from '#target'
import { inPackage, makePackage, makeSent } from '#walk'

const { id } = target.owner
const asUser = (token: string) => ({ as: { userToken: token } })
const invalid = (token: string) => refused(whoAmI, {}, asUser(token), 'credential_invalid')
const claims = { jti: 'a-token-of-its-own', sub: id, ser: 0 }
const withHeader = (header: Record<string, unknown>) => mint({ kind: 'user', claims, header })
const withClaims = (more: Record<string, unknown>) => userToken(id, more)
const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

test('a token as the server writes it is taken, so the refusals below are about what is changed', async () => {
  await use(whoAmI, {}, asUser(userToken(id)))
  const { alg, typ, kid } = JSON.parse(
    Buffer.from(target.user_token.split('.')[0] ?? '', 'base64url').toString(),
  ) as Record<string, string>
  assert.deepEqual([alg, typ, typeof kid], ['HS256', 'longshore-user+jwt', 'string'])
})

test('a token without a signature, or of another algorithm, is refused', async () => {
  const payload = userToken(id).split('.')[1]
  for (const alg of ['none', 'None', 'nOnE', 'NONE', '']) {
    const head = encoded({ alg, typ: 'longshore-user+jwt', kid: 'k1' })
    await invalid(`${head}.${payload}.`)
    await invalid(`${head}.${payload}.${userToken(id).split('.')[2]}`)
  }
  for (const alg of ['HS384', 'HS512', 'RS256', 'EdDSA', 'dir', 'A256GCMKW']) await invalid(withHeader({ alg }))
})

test('a public key is no secret, whatever signed with it', async () => {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const pem = publicKey.export({ type: 'spki', format: 'pem' })
  await invalid(mint({ kind: 'user', claims, key: Buffer.from(pem) }))
  await invalid(mint({ kind: 'user', claims, key: Buffer.alloc(0) }))
  await invalid(mint({ kind: 'user', claims, key: randomBytes(32) }))
  const signed = `${encoded({ alg: 'RS256', typ: 'longshore-user+jwt', kid: 'k1' })}.${userToken(id).split('.')[1]}`
  await invalid(`${signed}.${createSign('sha256').update(signed).sign(privateKey, 'base64url')}`)
})

test('a key id that we do not have is refused, whatever it looks like', async () => {
  const kids = ['k2', '../../etc/passwd', "k1' or '1'='1", '', ['k1'], { k1: 1 }, 5, null, '__proto__', 'constructor']
  for (const kid of kids) await invalid(withHeader({ kid }))
  await invalid(mint({ kind: 'user', claims, header: { kid: undefined } }))
})

test('keys that a token brings along are ignored', async () => {
  const jwk = { kty: 'oct', k: randomBytes(32).toString('base64url') }
  const key = Buffer.from(jwk.k, 'base64url')
  const own = { jku: 'http://127.0.0.1:1/keys', x5u: 'http://127.0.0.1:1/cert', jwk }
  await invalid(mint({ kind: 'user', claims, header: own, key }))
  await use(whoAmI, {}, asUser(withHeader(own)))
  await invalid(withHeader({ crit: ['exp'] }))
})

test('a token is good from its start to its end, and must have an end', async () => {
  await refused(whoAmI, {}, asUser(withClaims({ exp: now() - 1 })), 'token_expired')
  await refused(whoAmI, {}, asUser(withClaims({ exp: now() })), 'token_expired')
  await refused(whoAmI, {}, asUser(withClaims({ exp: -1 })), 'token_expired')
  await use(whoAmI, {}, asUser(withClaims({ exp: now() + 60 })))
  for (const exp of [undefined, null, String(now() + 60), 'never', {}, [now() + 60], true])
    await invalid(withClaims({ exp }))
  await invalid(withClaims({ nbf: now() + 60 }))
  await invalid(withClaims({ nbf: 'x' }))
})

test('a token that expires while it is remembered is refused all the same', async () => {
  const token = withClaims({ exp: now() + 4 })
  await use(whoAmI, {}, asUser(token))
  await new Promise((resolve) => setTimeout(resolve, 4_500))
  await refused(whoAmI, {}, asUser(token), 'token_expired')
})

test('a token of another audience, type or issuer is refused', async () => {
  for (const aud of ['package', 'transfer', undefined, '', 'USER', ['package']]) await invalid(withClaims({ aud }))
  for (const iss of ['someone', undefined, '']) await invalid(withClaims({ iss }))
  for (const typ of ['JWT', 'longshore-package+jwt', undefined, '']) await invalid(withHeader({ typ }))
  // The key of one kind does not make another.
  await invalid(mint({ kind: 'user', claims, key: tokenKey('package') }))
})

test('a token that was edited after signing is refused', async () => {
  const [head = '', , signature = ''] = target.user_token.split('.')
  const edited = encoded({ ...claimsOf(target.user_token), sub: randomUUID() })
  await invalid(`${head}.${edited}.${signature}`)
  await invalid(target.user_token.slice(0, -2))
  await invalid(`${target.user_token}AA`)
  await invalid(`${target.user_token}.`)
})

test('what is no token is refused, and quickly', async () => {
  const rubbish = ['a', '.', '..', 'a.b', 'a.b.c', 'a.b.c.d.e', '{}', `${'A'.repeat(9_000)}.x.y`, '../..', 'null']
  for (const token of rubbish) await invalid(token)
  const started = performance.now()
  for (let time = 0; time < 20; time += 1) await ask(whoAmI, {}, asUser(`${'A'.repeat(9_000)}.${time}.y`))
  assert.ok((performance.now() - started) / 20 < 250)
})

test('a header too large for any token is refused before it is read', async () => {
  const { status } = await fetch(`${target.cloud_url}/v1/users/me`, {
    headers: { 'x-user-token': 'A'.repeat(1_000_000) },
  })
  assert.ok(status === 401 || status === 431, String(status))
})

test('subjects that are no user are refused, not an error of ours', async () => {
  for (const sub of [undefined, null, '', 'x', 5, {}, [id], randomUUID(), `${id}'--`]) {
    const answer = await ask(whoAmI, {}, asUser(withClaims({ sub })))
    assert.equal(errorOf(answer).error, 'credential_invalid', `sub ${JSON.stringify(sub)}: ${answer.text}`)
  }
  for (const ser of [1, '1', null, undefined, 'x', -1, 0.5, {}]) await invalid(withClaims({ ser }))
})

test('claims of a package token that cannot be are refused, not an error of ours', async () => {
  const pkg = await makePackage()
  const read = (more: Record<string, unknown>) =>
    ask(readPackage, { params: inPackage(pkg) }, { as: { packageToken: packageToken(pkg, 'manage', more) } })
  assert.equal((await read({})).status, 200)
  for (const more of [
    { tm: 'x' },
    { tm: undefined },
    { tm: null },
    { sub: 'x' },
    { sub: undefined },
    { lvl: 'owner' },
    { lvl: undefined },
    { lvl: ['manage'] },
    { lvl: '__proto__' },
    { ser: 'x' },
    { ser: undefined },
    { lnk: 'x' },
    { usr: 'x' },
    { lnk: randomUUID() },
    { usr: randomUUID() },
    { exp: String(now() + 60) },
  ]) {
    const answer = await read(more)
    assert.ok([401, 403, 404].includes(answer.status), `${JSON.stringify(more)}: ${answer.status} ${answer.text}`)
  }
})

test('a read token that names no link is refused', async () => {
  const { pkg } = await makeSent()
  const answer = await ask(readPackage, { params: inPackage(pkg) }, { as: { packageToken: packageToken(pkg, 'read') } })
  assert.ok(answer.status === 401, `${answer.status}: a read token is bound to its link`)
})

test('one token is never taken for another that differs a little', async () => {
  const [a, b] = [await makeMember('member'), await makeMember('member')]
  for (let time = 0; time < 5; time += 1) {
    for (const member of [a, b]) {
      assert.equal((await use(whoAmI, {}, asUser(member.token))).user.id, member.id)
    }
  }
})

test('a removed member is out at the next call, with every token', async () => {
  const member = await makeMember('member')
  const pkg = await makePackage({}, { userToken: member.token })
  const how = { as: { packageToken: pkg.access_token } }
  await use(readPackage, { params: inPackage(pkg) }, how)
  await removeMember(member)
  await refused(readPackage, { params: inPackage(pkg) }, how, 'token_revoked')
  assert.deepEqual((await use(whoAmI, {}, asUser(member.token))).teams, [])
})

test('a signature over other bytes than those sent is refused', async () => {
  const [head = '', payload = ''] = userToken(id).split('.')
  const spaced = Buffer.from(` ${Buffer.from(payload, 'base64url').toString()}`).toString('base64url')
  const signature = createHmac('sha256', tokenKey('user')).update(`${head}.${payload}`).digest('base64url')
  await invalid(`${head}.${spaced}.${signature}`)
})
