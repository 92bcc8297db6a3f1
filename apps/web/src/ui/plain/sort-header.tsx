import { ArrowDown, ArrowUp } from 'lucide-react'

interface SortHeaderProps {
  readonly label: string
  /** Name of the field that this column sorts by. */
  readonly field: string
  /** The sort in force: a field, with `-` before it downwards. */
  readonly sort: string
  readonly onSort: (sort: string) => void
  readonly className?: string
}

/** Head of a column that sorts: first upwards, then downwards. */
export function SortHeader({ label, field, sort, onSort, className }: SortHeaderProps) {
  const direction = sort === field ? 'ascending' : sort === `-${field}` ? 'descending' : undefined
  const Arrow = direction === 'ascending' ? ArrowUp : ArrowDown
  return (
    <th scope="col" aria-sort={direction ?? 'none'} className={className}>
      <button
        type="button"
        className="inline-flex cursor-pointer items-center gap-1 hover:text-ink"
        onClick={() => onSort(direction === 'ascending' ? `-${field}` : field)}
      >
        {label}
        <Arrow size={14} aria-hidden className={direction === undefined ? 'invisible' : ''} />
      </button>
    </th>
  )
}
