import { padEnd, padStart, shortened, widthOf } from '#cli/terminal/text'

export interface Column<Row> {
  readonly title: string
  readonly of: (row: Row) => string
  readonly align?: 'right'
  /** Takes the width that the others leave, and is shortened to it. One column at most. */
  readonly stretches?: true
  /** Columns with a higher number go first when the terminal is narrow. Without one it always stays. */
  readonly dropAt?: number
}

const gap = '  '
const narrowestStretch = 16

/** Lines of a table that is no wider than `width`, heading first. */
export function tableLines<Row>(columns: readonly Column<Row>[], rows: readonly Row[], width: number): string[] {
  const kept = fitting(
    columns.map((column) => measured(column, rows)),
    width,
  )
  const fixed = kept.filter(({ column }) => column.stretches !== true)
  const left = width - fixed.reduce((sum, cell) => sum + cell.width + gap.length, 0)
  const widths = kept.map((cell) =>
    cell.column.stretches === true ? Math.max(1, Math.min(cell.width, left)) : cell.width,
  )
  const line = (cells: readonly string[]) =>
    cells
      .map((text, index) => {
        const [cell, wide] = [kept[index], widths[index] ?? 0]
        const short = shortened(text, wide)
        return cell?.column.align === 'right' ? padStart(short, wide) : padEnd(short, wide)
      })
      .join(gap)
      .trimEnd()
  return [
    line(kept.map(({ column }) => column.title)),
    ...rows.map((_, row) => line(kept.map(({ texts }) => texts[row] ?? ''))),
  ]
}

interface Measured<Row> {
  readonly column: Column<Row>
  readonly texts: readonly string[]
  readonly width: number
}

function measured<Row>(column: Column<Row>, rows: readonly Row[]): Measured<Row> {
  const texts = rows.map((row) => column.of(row))
  return { column, texts, width: Math.max(widthOf(column.title), ...texts.map(widthOf)) }
}

function fitting<Row>(columns: readonly Measured<Row>[], width: number): readonly Measured<Row>[] {
  const needed = columns.reduce(
    (sum, cell) =>
      sum + gap.length + (cell.column.stretches === true ? Math.min(cell.width, narrowestStretch) : cell.width),
    -gap.length,
  )
  const first = Math.max(0, ...columns.map(({ column }) => column.dropAt ?? 0))
  if (needed <= width || first === 0) return columns
  return fitting(
    columns.filter(({ column }) => column.dropAt !== first),
    width,
  )
}
