/** Who may use a disk now. Pure: what is known of the disk goes in, the decision comes out. */

export interface DiskRules {
  readonly priority: 'mixed_read_writes' | 'prioritize_writes' | 'prioritize_reads'
  readonly maxReaders: number
  readonly maxWriters: number
}

export interface DiskUse {
  readonly readers: number
  readonly writers: number
  readonly waitingReaders: number
  readonly waitingWriters: number
}

export type Job = 'read' | 'write'

/**
 * Whether one more may begin. With a priority the others wait as long as anybody of the preferred kind is at work or
 * waits; mixed, only the numbers count.
 */
export function mayBegin(job: Job, use: DiskUse, { priority, maxReaders, maxWriters }: DiskRules): boolean {
  if (job === 'read') {
    if (priority === 'prioritize_writes' && use.writers + use.waitingWriters > 0) return false
    return use.readers < maxReaders
  }
  if (priority === 'prioritize_reads' && use.readers + use.waitingReaders > 0) return false
  return use.writers < maxWriters
}
