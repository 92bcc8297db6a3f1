import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Config, storageOrigins } from './config.ts'

const config = (more: Partial<Config>) =>
  ({
    LONGSHORE_PUBLIC_URL: 'https://send.example.com',
    LONGSHORE_DOWNLOAD_URL: 'https://get.example.com/d',
    LONGSHORE_PORTAL_URL: '',
    LONGSHORE_ALLOWED_ORIGINS: '',
    ...more,
  }) as Config

test('whose pages may talk to the store: everybody’s, or ours and those that are named', () => {
  assert.deepEqual(storageOrigins(config({})), ['*'])
  const named = { LONGSHORE_ALLOWED_ORIGINS: 'https://app.example.net' }
  assert.deepEqual(storageOrigins(config(named)), [
    'https://send.example.com',
    'https://get.example.com',
    'https://app.example.net',
  ])
  const portals = { ...named, LONGSHORE_PORTAL_URL: 'https://{subdomain}.example.org:8443/' }
  assert.ok(storageOrigins(config(portals)).includes('https://*.example.org:8443'))
})
