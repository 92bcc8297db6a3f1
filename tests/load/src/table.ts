import { type Figure, reached } from './benchmark.ts'

const headings = ['figure', 'measured', 'goal', 'reached'] as const

export function figureTable(figures: readonly Figure[]): string {
  const rows = [headings, ...figures.map(row)]
  const widths = headings.map((_, column) => Math.max(...rows.map((cells) => cells[column]?.length ?? 0)))
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) =>
        column === 1 || column === 2 ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd()
  const [first = headings, ...rest] = rows
  return [line(first), widths.map((width) => '─'.repeat(width)).join('  '), ...rest.map(line)].join('\n')
}

function row(figure: Figure): readonly string[] {
  const { goal } = figure
  const is = reached(figure)
  return [
    figure.name,
    `${shown(figure.value)} ${figure.unit}`.trimEnd(),
    goal === undefined ? '' : 'atLeast' in goal ? `≥ ${shown(goal.atLeast)}` : `≤ ${shown(goal.atMost)}`,
    is === undefined ? '' : is ? 'yes' : 'NO',
  ]
}

/** Three digits that mean something; the rest is noise of the machine. */
export function shown(value: number): string {
  if (!Number.isFinite(value)) return String(value)
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : Math.abs(value) >= 1 ? 2 : 3
  return value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits })
}
