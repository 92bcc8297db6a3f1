import { showBytes } from '#cli/human/bytes'
import { showRate } from '#cli/human/rate'
import { showDuration } from '#cli/human/time'
import { harmless } from '#cli/terminal/text'
import type { Transfer } from '#cli/transfer'

/** What went, and how fast where it took long enough to be said. */
export function summary({ name, size, total_files }: Transfer, seconds: number): string {
  const files = total_files === 1 ? '1 file' : `${total_files} files`
  const pace = seconds < 1 ? '' : ` in ${showDuration(seconds)}, ${showRate((size * 8) / seconds)}`
  return `${harmless(name)} (${files}, ${showBytes(size)}${pace})`
}
