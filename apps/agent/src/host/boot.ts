import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'

/**
 * Another one each time the machine was started. Where the system does not tell, each process has its own: that is
 * never wrong, only more careful than need be.
 */
export const boot = process.platform === 'linux' ? bootOfLinux() : randomUUID()

function bootOfLinux(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    return randomUUID()
  }
}
