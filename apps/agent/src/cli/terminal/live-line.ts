import { SingleBar } from 'cli-progress'
import type { Paint } from '#cli/terminal/paint'
import { type Progress, progressLine } from '#cli/terminal/progress-line'

export interface LiveLine {
  readonly show: (progress: Progress) => void
  /** Takes the line away again. */
  readonly end: () => void
}

/** One line at the bottom of the terminal that is drawn anew as the transfer goes on. */
export function liveLine(columns: () => number, paint: Paint): LiveLine {
  const bar = new SingleBar({
    stream: process.stderr,
    clearOnComplete: true,
    format: (_options, _params, { progress }: { readonly progress: Progress }) =>
      // The last column stays free: some terminals begin a new line as soon as it is used.
      progressLine(progress, columns() - 1, paint),
  })
  let drawn = false
  return {
    show(progress) {
      if (drawn) bar.update(progress.done, { progress })
      else bar.start(progress.size, progress.done, { progress })
      drawn = true
    },
    end() {
      if (drawn) bar.stop()
      drawn = false
    },
  }
}
