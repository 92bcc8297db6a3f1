import type { Log } from '@longshore/kit/log'
import { applyBucketSettings } from '#blob/bucket-settings'
import { selfTest } from '#blob/self-test'
import { type Config, storageConfig, storageOrigins } from './config.ts'

/**
 * Sets the bucket up as we need it, then tries the known attacks on signed addresses with real requests. What is open
 * stops the start, unless the operator decided otherwise.
 */
export async function checkStorage(config: Config, log: Log): Promise<void> {
  const storage = storageConfig(config)
  const settings = await applyBucketSettings(storage, { origins: storageOrigins(config) })
  log.info({ settings }, 'bucket settings')
  if (config.LONGSHORE_STORAGE_SELF_TEST === 'off') return

  const findings = await selfTest(storage)
  const open = findings.filter((finding) => finding.verdict === 'open')
  for (const finding of open) log.warn({ finding }, 'storage self-test: open')
  log.info({ tried: findings.length, open: open.length }, 'storage self-test done')
  if (open.length > 0 && config.LONGSHORE_STORAGE_SELF_TEST === 'refuse') {
    throw new Error(
      `The store gives way to ${open.length} of ${findings.length} known attacks: ${open.map((finding) => finding.id).join(', ')}. ` +
        'Run `npm run doctor` for what to do, or set LONGSHORE_STORAGE_SELF_TEST=warn to start all the same.',
    )
  }
}
