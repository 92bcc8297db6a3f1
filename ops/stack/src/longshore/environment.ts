import type { Stack } from '#stack'

export interface ServerSettings {
  readonly databaseUrl: string
  readonly bucket: string
  readonly port: number
  /** Master secrets in the form that the server reads. */
  readonly secrets: string
  /** Whatever a test wants otherwise, by the names of the configuration. */
  readonly extra?: Readonly<Record<string, string>>
}

/** The configuration of a server that stands on a stack. */
export const serverEnvironment = (stack: Stack, settings: ServerSettings): Record<string, string> => ({
  LONGSHORE_DATABASE_URL: settings.databaseUrl,
  LONGSHORE_REDIS_URL: stack.redis_url,
  LONGSHORE_SECRETS: settings.secrets,
  LONGSHORE_LISTEN: `127.0.0.1:${settings.port}`,
  LONGSHORE_PUBLIC_URL: `http://127.0.0.1:${settings.port}`,
  LONGSHORE_DOWNLOAD_URL: `http://127.0.0.1:${settings.port}/d`,
  LONGSHORE_S3_ENDPOINT: stack.s3.endpoint,
  LONGSHORE_S3_PUBLIC_ENDPOINT: stack.s3.public_endpoint,
  LONGSHORE_S3_REGION: stack.s3.region,
  LONGSHORE_S3_BUCKET: settings.bucket,
  LONGSHORE_S3_UPLOAD_ACCESS_KEY: stack.s3.upload.access_key,
  LONGSHORE_S3_UPLOAD_SECRET_KEY: stack.s3.upload.secret_key,
  LONGSHORE_S3_READ_ACCESS_KEY: stack.s3.read.access_key,
  LONGSHORE_S3_READ_SECRET_KEY: stack.s3.read.secret_key,
  LONGSHORE_S3_JANITOR_ACCESS_KEY: stack.s3.janitor.access_key,
  LONGSHORE_S3_JANITOR_SECRET_KEY: stack.s3.janitor.secret_key,
  // Receivers of tests and of the demo are on this machine.
  LONGSHORE_ALLOWED_PRIVATE_RANGES: '127.0.0.0/8',
  LONGSHORE_CLAMD: `${stack.clamd.host}:${stack.clamd.port}`,
  LONGSHORE_SMTP_URL: stack.smtp_url,
  LONGSHORE_MAIL_FROM: 'Longshore <longshore@example.test>',
  ...settings.extra,
})
