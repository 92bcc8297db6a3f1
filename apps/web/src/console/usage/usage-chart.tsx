import { useEffect, useRef, useSyncExternalStore } from 'react'
import uPlot from 'uplot'
import { useFormat, useText } from '#text/use-text.tsx'
import { useTheme } from '#ui/plain/theme.ts'

interface UsageChartProps {
  /** `2026-11-15`, one after the other. */
  readonly days: readonly string[]
  readonly sent: readonly number[]
  readonly received: readonly number[]
  readonly told: (value: number) => string
}

const height = 280

/** Two lines over time. The table below it says the same to whoever cannot see them. */
export function UsageChart({ days, sent, received, told }: UsageChartProps) {
  const text = useText<'console'>()
  const format = useFormat()
  const theme = useTheme()
  const systemIsDark = useSystemIsDark()
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const element = place.current
    if (element === null) return
    const color = (name: string) => resolvedColor(element, name)
    const axis = { stroke: color('--ink-soft'), grid: { stroke: color('--line'), width: 1 }, ticks: { show: false } }
    const series = (label: string, name: string) => ({
      label,
      stroke: color(name),
      width: 2,
      fill: color(name).replace('rgb(', 'rgba(').replace(')', ', 0.12)'),
      points: { show: days.length < 15 },
      value: (_: uPlot, value: number | null) => (value === null ? '–' : told(value)),
    })
    const chart = new uPlot(
      {
        width: element.clientWidth,
        height,
        series: [
          { label: text('usage.day'), value: (_, at) => (at === null ? '–' : format.date(new Date(at * 1_000))) },
          series(text('usage.sent'), '--accent'),
          series(text('usage.received'), '--signal'),
        ],
        axes: [
          {
            ...axis,
            values: (_, times) => times.map((at) => format.date(new Date(at * 1_000)).replace(/,? ?\d{4}$/, '')),
            space: 80,
          },
          { ...axis, values: (_, values) => values.map(told), size: 76 },
        ],
        scales: { y: { range: (_, __, most) => [0, Math.max(1, most * 1.1)] } },
        cursor: { points: { size: 8 } },
      },
      [days.map((day) => Date.parse(`${day}T12:00:00Z`) / 1_000), [...sent], [...received]],
      element,
    )
    const resized = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height }))
    resized.observe(element)
    return () => {
      resized.disconnect()
      chart.destroy()
    }
  }, [days, sent, received, told, text, format, theme, systemIsDark])
  // As wide as there is room, and never as wide as the chart that was drawn for a wider window.
  return <div ref={place} role="img" aria-label={text('usage.chart')} className="overflow-hidden contain-inline-size" />
}

const systemDark = matchMedia('(prefers-color-scheme: dark)')
const onSystemChange = (tell: () => void) => {
  systemDark.addEventListener('change', tell)
  return () => systemDark.removeEventListener('change', tell)
}

/** The page follows the system by itself; what is drawn on a canvas has to be drawn anew. */
const useSystemIsDark = (): boolean => useSyncExternalStore(onSystemChange, () => systemDark.matches)

/** A canvas knows no variables: what a colour of ours is at the moment, as plain rgb. */
function resolvedColor(element: HTMLElement, variable: string): string {
  const probe = document.createElement('span')
  probe.style.color = `var(${variable})`
  element.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}
