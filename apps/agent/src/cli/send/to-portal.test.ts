import assert from 'node:assert/strict'
import { test } from 'node:test'
import { subdomainOf } from '#cli/send/to-portal'

test('a Portal is named by its subdomain, or by an address that has it in front or at its end', () => {
  assert.equal(subdomainOf('dailies'), 'dailies')
  assert.equal(subdomainOf('https://dailies.example.com'), 'dailies')
  assert.equal(subdomainOf('https://dailies.example.com/'), 'dailies')
  assert.equal(subdomainOf('http://127.0.0.1:17607/p/dailies/'), 'dailies')
  assert.throws(() => subdomainOf('https://'), /is no address of a Portal/)
})
