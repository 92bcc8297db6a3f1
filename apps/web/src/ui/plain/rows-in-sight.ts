import { useLayoutEffect, useState } from 'react'

// Drawn beyond each edge, so that a turn of the wheel does not outrun the page.
const spareRows = 10

interface RowsInSight {
  /** `ref` of the element that scrolls. */
  readonly frame: (element: HTMLElement | null) => void
  /** Of all rows together, in pixels. */
  readonly height: number
  readonly rows: readonly { readonly index: number; readonly start: number }[]
}

/** Which rows of a long list to draw: those that can be seen, and a few beside them. All rows are equally high. */
export function useRowsInSight(count: number, rowHeight: number): RowsInSight {
  const [frame, setFrame] = useState<HTMLElement | null>(null)
  const [{ first, last }, setSight] = useState({ first: 0, last: 0 })
  useLayoutEffect(() => {
    if (frame === null) return
    const look = () => {
      const first = Math.floor(frame.scrollTop / rowHeight)
      const last = Math.ceil((frame.scrollTop + frame.clientHeight) / rowHeight)
      setSight((before) => (before.first === first && before.last === last ? before : { first, last }))
    }
    look()
    frame.addEventListener('scroll', look, { passive: true })
    const size = new ResizeObserver(look)
    size.observe(frame)
    return () => {
      frame.removeEventListener('scroll', look)
      size.disconnect()
    }
  }, [frame, rowHeight])
  const from = Math.max(0, first - spareRows)
  const length = Math.max(0, Math.min(count, last + spareRows) - from)
  const rows = Array.from({ length }, (_, at) => ({ index: from + at, start: (from + at) * rowHeight }))
  return { frame: setFrame, height: count * rowHeight, rows }
}
