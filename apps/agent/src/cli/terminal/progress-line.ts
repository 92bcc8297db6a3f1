import { showBytes } from '#cli/human/bytes'
import { showRate } from '#cli/human/rate'
import { showDuration } from '#cli/human/time'
import type { Paint } from '#cli/terminal/paint'
import { harmless, padEnd, shortened, widthOf } from '#cli/terminal/text'

export interface Progress {
  readonly direction: 'up' | 'down'
  readonly name: string
  readonly state: 'transferring' | 'paused' | 'idle' | 'complete' | 'error'
  readonly done: number
  readonly size: number
  readonly bitsPerSecond: number
  readonly secondsLeft: number | undefined
}

export const arrowOf = (direction: 'up' | 'down'): string => (direction === 'up' ? '↑' : '↓')

/** Whole percent, rounded down: 100 % is said when nothing is left, and not before. */
export const percentOf = ({ done, size }: { readonly done: number; readonly size: number }): number =>
  size === 0 ? 100 : Math.min(100, Math.floor((done / size) * 100))

const leastForNameAndBar = 26
const widestBar = 32
const gap = '  '

/** One line of a transfer under way that fits into `width` columns. What matters least is left out first. */
export function progressLine(progress: Progress, width: number, paint: Paint): string {
  const percent = `${percentOf(progress)}%`.padStart(4)
  const pace = paceOf(progress)
  const amount = `${showBytes(progress.done)} of ${showBytes(progress.size)}`
  const details = [[percent, amount, ...pace], [percent, ...pace], [percent, ...pace.slice(0, 1)], [percent]]
    .map((parts) => parts.join(gap))
    .find((text, index) => index === 3 || widthOf(text) + gap.length + leastForNameAndBar <= width)
  const left = width - widthOf(details ?? '') - gap.length
  const name = `${arrowOf(progress.direction)} ${harmless(progress.name)}`
  const nameWidth = Math.max(
    0,
    Math.min(widthOf(name), left - gap.length - 8, Math.max(16, left - gap.length - widestBar)),
  )
  const barWidth = Math.max(0, Math.min(widestBar, left - nameWidth - gap.length))
  return [padEnd(shortened(name, nameWidth), nameWidth), bar(progress, barWidth, paint), details]
    .filter((part) => part !== '')
    .join(gap)
}

function paceOf({ state, bitsPerSecond, secondsLeft }: Progress): readonly string[] {
  if (state === 'paused') return ['paused']
  if (state === 'idle') return ['finishing']
  if (state === 'complete') return ['done']
  if (state === 'error') return ['failed']
  return [showRate(bitsPerSecond), ...(secondsLeft === undefined ? [] : [`${showDuration(secondsLeft)} left`])]
}

function bar(progress: Progress, width: number, paint: Paint): string {
  const share = progress.size === 0 ? 1 : Math.min(1, progress.done / progress.size)
  const full = Math.floor(share * width)
  const style = progress.state === 'paused' ? 'yellow' : progress.state === 'error' ? 'red' : 'cyan'
  return paint(style, '━'.repeat(full)) + paint('dim', '─'.repeat(width - full))
}
