import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { changeEmail, changePassword, signIn } from '@longshore/contract/cloud/account'
import { lookUpLink } from '@longshore/contract/cloud/links'
import type { Endpoint } from '@longshore/contract/endpoint'
import { type AnyInput, ask, errorOf, expectRefusal, type How, refused, use } from '#calls'
import { type Header, ownAddress } from '#http'
import { makeMember } from '#members'
import { test } from '#record'
import { makeLink, makeSent, readTokenOf } from '#walk'

// decisions.md: credential checks 10 a minute per address and per object.
const allowed = 10

/** Sends the same call again and again and answers how often it was looked at before it was refused for its number. */
async function triesUntilLimited(endpoint: Endpoint, input: () => AnyInput, how: () => How): Promise<number> {
  for (let tries = 0; tries < 3 * allowed; tries += 1) {
    const answer = await ask(endpoint, input(), how())
    if (answer.status === 429) {
      expectRefusal(endpoint, answer, 'rate_limited')
      const wait = Number(answer.headers['retry-after'])
      assert.ok(wait >= 1 && wait <= 60, `Retry-After ${wait}`)
      return tries
    }
  }
  return Number.POSITIVE_INFINITY
}

const nobody = () => ({ email: `${randomBytes(6).toString('hex')}@example.test`, password: 'not the password' })

test('one address tries ten sign-ins a minute, whomever it aims at', async () => {
  const from = ownAddress()
  assert.equal(
    await triesUntilLimited(
      signIn,
      () => ({ body: nobody() }),
      () => ({ from }),
    ),
    allowed,
  )
  const member = await makeMember('member')
  const right = { body: { email: member.email, password: member.password } }
  // Counted before the check: the right password is no way to find out.
  await refused(signIn, right, { from }, 'rate_limited')
  await use(signIn, right, { from: ownAddress() })
})

test('one account is tried ten times a minute, wherever the tries come from', async () => {
  const member = await makeMember('member')
  const wrong = () => ({ body: { email: member.email, password: 'not the password' } })
  const from = () => ({ from: ownAddress() })
  assert.equal(await triesUntilLimited(signIn, wrong, from), allowed)
  const right = { body: { email: member.email, password: member.password } }
  await refused(signIn, right, from(), 'rate_limited')
  await refused(signIn, { body: { ...right.body, email: member.email.toUpperCase() } }, from(), 'rate_limited')
  // Somebody else's account is not held back by it.
  const other = await makeMember('member')
  await use(signIn, { body: { email: other.email, password: other.password } }, from())
})

test('what a caller says about where it comes from is not believed', async () => {
  const from = ownAddress()
  const spoofed = (): How => {
    const address = ownAddress().replace('127', '203')
    const headers: Header[] = [
      ['x-forwarded-for', address],
      ['x-real-ip', address],
      ['forwarded', `for=${address}`],
      ['cf-connecting-ip', address],
      ['true-client-ip', address],
    ]
    return { from, headers }
  }
  assert.equal(await triesUntilLimited(signIn, () => ({ body: nobody() }), spoofed), allowed)
})

test('the password of a link is tried ten times a minute, by address and by link', async () => {
  const { pkg } = await makeSent()
  const make = async () => {
    const link = await makeLink(pkg, { password: 'open sesame' })
    return { link, input: { params: { link_id: link.id }, query: { secret: link.secret } } }
  }
  const wrong = { as: { linkPassword: 'not the password' } }
  const byLink = await make()
  const anywhere = () => ({ ...wrong, from: ownAddress() })
  assert.equal(await triesUntilLimited(lookUpLink, () => byLink.input, anywhere), allowed)
  await refused(lookUpLink, byLink.input, { as: { linkPassword: 'open sesame' }, from: ownAddress() }, 'rate_limited')

  const links = await Promise.all(Array.from({ length: allowed + 1 }, make))
  const from = ownAddress()
  let next = 0
  const another = () => links[next++]?.input ?? byLink.input
  assert.equal(await triesUntilLimited(lookUpLink, another, () => ({ ...wrong, from })), allowed)
  // Who knows it is not held back elsewhere.
  await readTokenOf(links[0]?.link as never, 'open sesame')
})

test('a link without a password, and a missing password, count as no guess', async () => {
  const { pkg, link } = await makeSent()
  const guarded = await makeLink(pkg, { password: 'open sesame' })
  const from = ownAddress()
  for (let time = 0; time < allowed + 5; time += 1) {
    const open = { params: { link_id: link.id }, query: { secret: link.secret } }
    await use(lookUpLink, open, { as: { linkPassword: 'not needed' }, from })
    const closed = { params: { link_id: guarded.id }, query: { secret: guarded.secret } }
    await refused(lookUpLink, closed, { from }, 'link_password_required')
  }
  await use(
    lookUpLink,
    { params: { link_id: guarded.id }, query: { secret: guarded.secret } },
    { as: { linkPassword: 'open sesame' }, from },
  )
})

test('a stolen token is no way to try passwords', async () => {
  const member = await makeMember('member')
  const params = { user_id: member.id }
  const wrong = { current_password: 'not the password', password: 'a long new password' }
  const from = () => ({ as: { userToken: member.token }, from: ownAddress() })
  const tries = await triesUntilLimited(changePassword, () => ({ params, body: wrong }), from)
  assert.equal(tries, allowed)
  const email = { params, body: { email: 'x@example.test', password: 'not the password' } }
  await refused(changeEmail, email, from(), 'rate_limited')
  const right = { params, body: { current_password: member.password, password: 'a long new password' } }
  await refused(changePassword, right, from(), 'rate_limited')
})

test('an unknown email takes as long as a wrong password', async () => {
  const known = await Promise.all(Array.from({ length: 9 }, () => makeMember('member')))
  const median = (times: number[]) => times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0
  const time = async (email: string) => {
    const started = performance.now()
    const answer = await ask(signIn, { body: { email, password: 'not the password' } }, { from: ownAddress() })
    assert.equal(errorOf(answer).error, 'login_failed')
    return performance.now() - started
  }
  const times: { known: number[]; unknown: number[] } = { known: [], unknown: [] }
  for (const { email } of known) {
    times.known.push(await time(email))
    times.unknown.push(await time(nobody().email))
  }
  // Without the hash the answer would come ten times as fast; a busy machine alone makes no such difference.
  const ratio = median(times.unknown) / median(times.known)
  assert.ok(ratio > 0.3 && ratio < 3, `an unknown email took ${ratio.toFixed(2)} times as long`)
})
