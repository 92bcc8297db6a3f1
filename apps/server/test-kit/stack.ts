import { readFileSync } from 'node:fs'

interface Keys {
  readonly access_key: string
  readonly secret_key: string
}

/** What tests of the server need to know of a running stack; `npm run stack` writes more. */
export interface TestStack {
  readonly database_url: string
  readonly redis_url: string
  readonly smtp_url: string
  readonly mail_url: string
  readonly clamd: { readonly host: string; readonly port: number }
  readonly s3: {
    readonly endpoint: string
    readonly public_endpoint: string
    readonly region: string
    readonly bucket: string
    readonly upload: Keys
    readonly read: Keys
    readonly janitor: Keys
    readonly customer: Keys
  }
}

/** The engines that tests run on, as `npm run stack` describes them. Tests never skip: without them they fail. */
export function testStack(): TestStack {
  const path = process.env['LONGSHORE_STACK']
  if (path === undefined || path === '') {
    throw new Error('Set LONGSHORE_STACK to the stack.json of a running stack (start one with `npm run stack -- up`)')
  }
  return JSON.parse(readFileSync(path, 'utf8')) as TestStack
}
