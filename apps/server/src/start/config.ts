import { fileURLToPath } from 'node:url'
import { describeConfig, readConfig } from '@longshore/kit/config'
import { type Static, Type } from 'typebox'
import type { StorageConfig } from '#blob/storage-config'

const text = (description: string, options: object = {}) => Type.String({ description, ...options })
const secret = (description: string) => Type.String({ description, minLength: 1, secret: true })
const number = (description: string, byDefault: number) => Type.Integer({ description, default: byDefault, minimum: 0 })

/** Everything an operator sets, by the names of the environment. docs/operate/configuration.md is written from it. */
export const configSchema = Type.Object({
  LONGSHORE_DATABASE_URL: secret('PostgreSQL 15 or newer: postgres://user:password@host:port/database.'),
  LONGSHORE_DATABASE_CONNECTIONS: number('Connections that one process opens at most.', 20),
  LONGSHORE_SECRETS: secret('Master secrets, newest first: kid:base64url, further ones behind commas. 32 bytes each.'),
  LONGSHORE_REDIS_URL: Type.String({
    description:
      'Redis or Valkey, shared by all processes. Empty: each process counts, and tells events, for itself alone.',
    default: '',
    secret: true,
  }),
  LONGSHORE_LISTEN: text('Address and port of the API.', { default: '127.0.0.1:8080' }),
  LONGSHORE_PUBLIC_URL: text('Where the API is reached from outside, without a slash at the end.'),
  LONGSHORE_DOWNLOAD_URL: text('Where shared links are opened, without a slash at the end.'),
  LONGSHORE_PORTAL_URL: text(
    'Where the upload page of a Portal is: https://{subdomain}.example.com, or with {subdomain} in the path. Empty: /p/{subdomain} below LONGSHORE_PUBLIC_URL.',
    { default: '', pattern: '^$|[{]subdomain[}]' },
  ),
  LONGSHORE_WEB_FOLDER: text('The built web app. Empty: apps/web/dist beside the server.', { default: '' }),
  LONGSHORE_TRUSTED_PROXIES: text('Addresses or networks whose X-Forwarded-For is believed, with commas.', {
    default: '',
  }),
  LONGSHORE_ALLOWED_ORIGINS: text('Origins of web pages that may call the API, with commas.', { default: '' }),
  LONGSHORE_CALLS_PER_MINUTE: number('Calls a minute that one credential may make; 0 for no limit.', 600),
  LONGSHORE_GUESSES_PER_MINUTE: number('Tries a minute at a password, by address and by what it guards.', 10),
  LONGSHORE_STREAMS_PER_PROCESS: number('Event streams that one API process holds open at most.', 5_000),
  LONGSHORE_STREAM_HEARTBEAT_SECONDS: Type.Integer({
    description: 'How often an event stream shows that it lives. Less than any proxy on the way waits.',
    default: 15,
    minimum: 1,
  }),
  LONGSHORE_METRICS_TOKEN: Type.String({
    description: 'Bearer token for /metrics. Empty: only this machine may read it.',
    default: '',
    secret: true,
  }),
  LONGSHORE_S3_ENDPOINT: text('The object store as the server reaches it.'),
  LONGSHORE_S3_PUBLIC_ENDPOINT: text('The object store as clients reach it; part of every signed address.'),
  LONGSHORE_S3_REGION: text('Region that requests are signed for.', { default: 'us-east-1' }),
  LONGSHORE_S3_BUCKET: text('Bucket of the packages.'),
  LONGSHORE_S3_PATH_STYLE: Type.Boolean({ description: 'Bucket in the path instead of the host name.', default: true }),
  LONGSHORE_S3_PUT_ONCE: Type.Boolean({
    description:
      'Single PUTs may create an object, never replace one (If-None-Match). Only for stores that cannot do this: false.',
    default: true,
  }),
  LONGSHORE_S3_UPLOAD_ACCESS_KEY: secret('Identity that may only put: signs uploads.'),
  LONGSHORE_S3_UPLOAD_SECRET_KEY: secret('Its secret.'),
  LONGSHORE_S3_READ_ACCESS_KEY: secret('Identity that may only get: signs downloads.'),
  LONGSHORE_S3_READ_SECRET_KEY: secret('Its secret.'),
  LONGSHORE_S3_JANITOR_ACCESS_KEY: secret('Identity for everything else; signs nothing for others.'),
  LONGSHORE_S3_JANITOR_SECRET_KEY: secret('Its secret.'),
  LONGSHORE_STORAGE_SELF_TEST: Type.Union([Type.Literal('refuse'), Type.Literal('warn'), Type.Literal('off')], {
    description: 'At boot, try known attacks on the store: refuse to start when one works, only warn, or do not try.',
    default: 'refuse',
  }),
  LONGSHORE_UPLOAD_URL_SECONDS: number('How long a signed upload address is valid.', 3600),
  LONGSHORE_DOWNLOAD_URL_SECONDS: number('How long a signed download address is valid unless asked otherwise.', 900),
  LONGSHORE_ARCHIVES_AT_ONCE: number('Archives (zip) that one API process streams at a time; others wait.', 32),
  LONGSHORE_ABANDONED_AFTER_DAYS: number('A package never finalized and untouched for so long is given up.', 7),
  LONGSHORE_CLAMD: text('ClamAV daemon as host:port; its StreamMaxLength should be 2000M. Empty: nothing is scanned.', {
    default: '',
    pattern: '^$|^.+:[0-9]{1,5}$',
  }),
  LONGSHORE_INSPECTIONS_AT_ONCE: Type.Integer({
    description: 'Stored files, or handfuls of small ones, that one worker reads at once for checksums and viruses.',
    default: 4,
    minimum: 1,
  }),
  LONGSHORE_TRANSFERS_AT_ONCE: Type.Integer({
    description: 'Packages that one worker carries to cloud connections at once.',
    default: 4,
    minimum: 1,
  }),
  LONGSHORE_TRANSFER_PART_MIB: Type.Integer({
    description: 'Files go to cloud connections in parts of so many MiB; larger ones where a file would have too many.',
    default: 64,
    minimum: 5,
    maximum: 5120,
  }),
  LONGSHORE_FREEZE_AFTER_SECONDS: number(
    'So long after it was finalized and inspected, the file list of a package is packed into few rows.',
    3600,
  ),
  LONGSHORE_ALLOWED_PRIVATE_RANGES: text(
    'Private networks that webhooks and cloud connections may reach all the same, with commas: 10.1.0.0/16,fd00::/8.',
    { default: '' },
  ),
  LONGSHORE_WEBHOOK_PAUSES_SECONDS: text('Seconds between the attempts of a webhook delivery, with commas.', {
    default: '30,120,600,3600',
    pattern: '^[0-9]{1,6}(,[0-9]{1,6})*$',
  }),
  LONGSHORE_SMTP_URL: Type.String({
    description: 'Mail server: smtp://user:password@host:port.',
    default: 'smtp://127.0.0.1:25',
    secret: true,
  }),
  LONGSHORE_MAIL_FROM: text('Sender of our mail.', { default: 'Longshore <longshore@localhost>' }),
  LONGSHORE_LOG_LEVEL: text('trace, debug, info, warn, error or silent.', { default: 'info' }),
  LONGSHORE_OTLP_ENDPOINT: text('OpenTelemetry collector for traces (OTLP over HTTP). Empty: no traces.', {
    default: '',
  }),
  LONGSHORE_CRASH_AT: text('For crash tests only: name:count of a crash point.', { default: '' }),
})

export type Config = Readonly<Static<typeof configSchema>>

export const loadConfig = (env: NodeJS.ProcessEnv = process.env): Config => readConfig(configSchema, env)

export const shownConfig = (config: Config) => describeConfig(configSchema, config)

export const listOf = (text: string): readonly string[] =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')

/** Takes the last colon: an IPv6 address has more, and brackets around it. */
export function hostAndPort(text: string): { host: string; port: number } {
  const colon = text.lastIndexOf(':')
  return { host: text.slice(0, colon).replaceAll(/^\[|\]$/g, ''), port: Number(text.slice(colon + 1)) }
}

/** Where the page of a Portal is, with `{subdomain}` in it. */
export const portalUrl = (config: Config): string =>
  config.LONGSHORE_PORTAL_URL || `${config.LONGSHORE_PUBLIC_URL}/p/{subdomain}`

/**
 * Whose pages may talk to the store: our own and those of the named origins. Where none is named, everybody's, since a
 * request to the store is signed.
 */
export function storageOrigins(config: Config): readonly string[] {
  const named = listOf(config.LONGSHORE_ALLOWED_ORIGINS)
  if (named.length === 0) return ['*']
  const own = [config.LONGSHORE_PUBLIC_URL, config.LONGSHORE_DOWNLOAD_URL, portalUrl(config)]
  return [...new Set([...own.map(originOf), ...named])]
}

const originOf = (url: string) => (/^https?:\/\/[^/]+/.exec(url)?.[0] ?? url).replace('{subdomain}', '*')

export const webFolder = (config: Config): string =>
  config.LONGSHORE_WEB_FOLDER === ''
    ? fileURLToPath(new URL('../../../web/dist', import.meta.url))
    : config.LONGSHORE_WEB_FOLDER

/** The origin that signed addresses have. */
export function storageOrigin(config: Config): string {
  const { protocol, host } = new URL(config.LONGSHORE_S3_PUBLIC_ENDPOINT)
  return `${protocol}//${config.LONGSHORE_S3_PATH_STYLE ? '' : `${config.LONGSHORE_S3_BUCKET}.`}${host}`
}

export const storageConfig = (config: Config): StorageConfig => ({
  endpoint: config.LONGSHORE_S3_ENDPOINT,
  publicEndpoint: config.LONGSHORE_S3_PUBLIC_ENDPOINT,
  region: config.LONGSHORE_S3_REGION,
  bucket: config.LONGSHORE_S3_BUCKET,
  forcePathStyle: config.LONGSHORE_S3_PATH_STYLE,
  upload: {
    accessKey: config.LONGSHORE_S3_UPLOAD_ACCESS_KEY,
    secretKey: config.LONGSHORE_S3_UPLOAD_SECRET_KEY,
  },
  read: { accessKey: config.LONGSHORE_S3_READ_ACCESS_KEY, secretKey: config.LONGSHORE_S3_READ_SECRET_KEY },
  janitor: {
    accessKey: config.LONGSHORE_S3_JANITOR_ACCESS_KEY,
    secretKey: config.LONGSHORE_S3_JANITOR_SECRET_KEY,
  },
})
