import assert from 'node:assert/strict'
import { createSecretKey, randomBytes, randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { parseKeyring } from '@longshore/kit/secrets'
import { SignJWT, UnsecuredJWT } from 'jose'
import { createTokens } from './tokens.ts'

const secret = (kid: string) => `${kid}:${randomBytes(32).toString('base64url')}`
const tokensOf = (...secrets: string[]) => createTokens(parseKeyring(secrets.join(',')))

const [userId, teamId, packageId, linkId] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()]
const user = { userId, serial: 3 }
const pkg = { teamId, packageId, level: 'manage', serial: 0 } as const
const read = { ...pkg, level: 'read', linkId } as const

test('a token says what it was issued for, each under an id of its own', async () => {
  const tokens = tokensOf(secret('k1'))
  const { tokenId, ...claims } = await tokens.verifyPackage(await tokens.issuePackage(read))
  assert.deepEqual(claims, read)
  assert.notEqual(tokenId, (await tokens.verifyPackage(await tokens.issuePackage(read))).tokenId)

  const { tokenId: _, ...userClaims } = await tokens.verifyUser(await tokens.issueUser(user))
  assert.deepEqual(userClaims, user)
})

test('one kind of token is never taken for the other', async () => {
  const tokens = tokensOf(secret('k1'))
  const [userToken, packageToken] = [await tokens.issueUser(user), await tokens.issuePackage(pkg)]
  await assert.rejects(tokens.verifyPackage(userToken), { code: 'credential_invalid' })
  await assert.rejects(tokens.verifyUser(packageToken), { code: 'credential_invalid' })
  // Known to the cache of its own kind now, and still unknown to the other.
  await tokens.verifyUser(userToken)
  await assert.rejects(tokens.verifyPackage(userToken), { code: 'credential_invalid' })
})

test('a token of another installation is refused', async () => {
  const token = await tokensOf(secret('k1')).issueUser(user)
  await assert.rejects(tokensOf(secret('k1')).verifyUser(token), { code: 'credential_invalid' })
})

test('a token is good as long as its secret is kept, behind whatever new one', async () => {
  const [old, young] = [secret('old'), secret('young')]
  const token = await tokensOf(old).issueUser(user)
  assert.equal((await tokensOf(young, old).verifyUser(token)).userId, userId)
  await assert.rejects(tokensOf(young).verifyUser(token), { code: 'credential_invalid' })
})

test('a token ends at its second, also one that was seen before', async (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: Date.UTC(2026, 0, 1) })
  const tokens = tokensOf(secret('k1'))
  const hours = 3600 * 1000
  for (const [token, verify, lifetime] of [
    [await tokens.issueUser(user), tokens.verifyUser, 72 * hours],
    [await tokens.issuePackage(pkg), tokens.verifyPackage, 7 * 24 * hours],
    [await tokens.issuePackage({ ...pkg, level: 'write' }), tokens.verifyPackage, 30 * 24 * hours],
    [await tokens.issuePackage(read), tokens.verifyPackage, 24 * hours],
  ] as const) {
    t.mock.timers.setTime(Date.UTC(2026, 0, 1) + lifetime - 1000)
    await verify(token)
    t.mock.timers.setTime(Date.UTC(2026, 0, 1) + lifetime)
    await assert.rejects(verify(token), { code: 'token_expired' })
  }
})

test('a token that was seen before opens nothing for one that only begins like it', async () => {
  const tokens = tokensOf(secret('k1'))
  const token = await tokens.issueUser(user)
  await tokens.verifyUser(token)
  const [head, body, signature = ''] = token.split('.')
  const other = signature.startsWith('A') ? 'B' : 'A'
  for (const forged of [
    `${head}.${body}.${other}${signature.slice(1)}`,
    `${head}.${body}.`,
    `${head}.${body}`,
    `${token}x`,
    token.slice(0, -1),
    ` ${token}`,
  ]) {
    await assert.rejects(tokens.verifyUser(forged), { code: 'credential_invalid' }, forged)
  }
  assert.equal((await tokens.verifyUser(token)).userId, userId)
})

test('claims cannot be changed under a signature', async () => {
  const tokens = tokensOf(secret('k1'))
  const [head, body = '', signature] = (await tokens.issuePackage(read)).split('.')
  const claims = JSON.parse(Buffer.from(body, 'base64url').toString()) as object
  const better = Buffer.from(JSON.stringify({ ...claims, lvl: 'manage' })).toString('base64url')
  await assert.rejects(tokens.verifyPackage(`${head}.${better}.${signature}`), { code: 'credential_invalid' })
})

test('a token without a signature, of another algorithm, audience, issuer or without an end is refused', async () => {
  const text = secret('k1')
  const tokens = tokensOf(text)
  const key = createSecretKey(parseKeyring(text).derive('k1', 'token/user'))
  const signed = (change: (jwt: SignJWT) => SignJWT, header: object = {}) =>
    change(
      new SignJWT({ sub: userId, ser: 3, jti: 'x' }).setIssuer('longshore').setAudience('user').setExpirationTime('1h'),
    )
      .setProtectedHeader({ alg: 'HS256', typ: 'longshore-user+jwt', kid: 'k1', ...header })
      .sign(key)
  const same = (jwt: SignJWT) => jwt
  // The one that is right in everything shows that each of the others fails for its own reason.
  assert.equal((await tokens.verifyUser(await signed(same))).userId, userId)

  const withoutEnd = new SignJWT({ sub: userId, ser: 3 })
    .setIssuer('longshore')
    .setAudience('user')
    .setProtectedHeader({ alg: 'HS256', typ: 'longshore-user+jwt', kid: 'k1' })
    .sign(key)
  for (const [what, token] of [
    ['algorithm', signed(same, { alg: 'HS512' })],
    ['type', signed(same, { typ: 'JWT' })],
    ['kid', signed(same, { kid: 'k2' })],
    ['audience', signed((jwt) => jwt.setAudience('package'))],
    ['issuer', signed((jwt) => jwt.setIssuer('somebody'))],
    ['end', withoutEnd],
    ['signature', new UnsecuredJWT({ sub: userId, ser: 3 }).setAudience('user').setIssuer('longshore').encode()],
  ] as const) {
    await assert.rejects(tokens.verifyUser(await token), { code: 'credential_invalid' }, what)
  }
})

test('a signed claim that cannot be is refused', async () => {
  const tokens = tokensOf(secret('k1'))
  const broken = [
    { ...pkg, packageId: 'p1' },
    { ...pkg, teamId: '' },
    { ...pkg, serial: 0.5 },
    { ...pkg, level: 'read' as const },
    { ...read, linkId: 'l1' },
  ]
  for (const claims of broken) {
    const token = await tokens.issuePackage(claims)
    await assert.rejects(tokens.verifyPackage(token), { code: 'credential_invalid' }, JSON.stringify(claims))
  }
  await assert.rejects(tokens.verifyUser(await tokens.issueUser({ userId: 'u1', serial: 0 })), {
    code: 'credential_invalid',
  })
})

test('a text of 3,000 characters is refused before it is read', async () => {
  await assert.rejects(tokensOf(secret('k1')).verifyUser('x'.repeat(3_000)), { code: 'credential_invalid' })
})
