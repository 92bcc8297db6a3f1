import { setTimeout as sleep } from 'node:timers/promises'
import { Refusal } from '@longshore/kit/refusal'
import { pauseAfter } from '@longshore/transfer/retry'
import { dropPackage, type OpenPackage } from '#cloud/packages'
import type { Means } from './means.ts'

/**
 * Deletes a package that will never be finished, also where the cloud is away just now. It is tried until the agent ends:
 * what is left then the server gives up by itself after some days.
 */
export async function takeBack({ client, log }: Pick<Means, 'client' | 'log'>, pkg: OpenPackage): Promise<void> {
  const names = { package: pkg.id }
  for (let attempt = 0; ; attempt++) {
    try {
      return await dropPackage(client, pkg)
    } catch (err) {
      if (!(err instanceof Refusal) || !passing.has(err.code)) {
        return log.warn({ ...names, err }, 'the package of a deleted upload could not be deleted')
      }
      if (attempt === 0) log.warn({ ...names, err }, 'the package of a deleted upload is deleted later')
      const pauseMs = pauseAfter(attempt, Math.random(), (err.retryAfterSeconds ?? 0) * 1_000)
      await sleep(pauseMs, undefined, { ref: false })
    }
  }
}

const passing: ReadonlySet<string> = new Set(['cloud_unreachable', 'rate_limited'])
