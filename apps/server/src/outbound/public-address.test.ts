import assert from 'node:assert/strict'
import { test } from 'node:test'
import { reachable } from './public-address.ts'

const publicOnes = [
  '8.8.8.8',
  '93.184.216.34',
  '172.15.255.255',
  '172.32.0.1',
  '2606:4700:4700::1111',
  '::ffff:8.8.8.8',
]

const privateOnes = [
  '127.0.0.1',
  '127.255.255.254',
  '0.0.0.0',
  '10.0.0.1',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '100.64.0.1',
  '169.254.169.254',
  '192.0.0.192',
  '198.18.0.1',
  '203.0.113.5',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::127.0.0.1',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '::ffff:0:127.0.0.1',
  '64:ff9b::10.0.0.1',
  '64:ff9b:1::1',
  '2002:7f00:1::',
  '2001::1',
  'fd00:ec2::254',
  'fe80::1',
  'fe80::1%eth0',
  'fec0::1',
  'ff02::1',
  '4000::1',
]

test('public addresses are reached, private ones in every dress are not', () => {
  const mayReach = reachable([])
  for (const address of publicOnes) assert.equal(mayReach(address), true, address)
  for (const address of privateOnes) assert.equal(mayReach(address), false, address)
})

test('what is no address is not reached', () => {
  for (const text of ['', 'localhost', '127.0.0.1:80', '1.2.3.4.5', '[::1]']) {
    assert.equal(reachable(['0.0.0.0/0', '::/0'])(text), false, text)
  }
})

test('a range that the operator lists is reached, and nothing beside it', () => {
  const mayReach = reachable(['10.1.0.0/16', 'fd00:1::/32'])
  const reached = ['10.1.2.3', '::ffff:10.1.2.3', 'fd00:1::5']
  for (const address of reached) assert.equal(mayReach(address), true, address)
  for (const address of ['10.2.0.1', '127.0.0.1', 'fd00:2::1', '::1']) assert.equal(mayReach(address), false, address)
})

test('a range that cannot be read stops the start with a sentence', () => {
  assert.throws(() => reachable(['10.0.0.0/33']), /no range of addresses/)
  assert.throws(() => reachable(['office']), /'office' is no range/)
})
