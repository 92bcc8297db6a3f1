import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useText } from '#text/use-text.tsx'
import { Refusal } from '#ui/plain/refusal.tsx'

interface LoadedProps<T> {
  readonly query: UseQueryResult<T>
  readonly children: (data: T) => ReactNode
}

/** What a query brought; until then its place is held, and where it failed that is said. */
export function Loaded<T>({ query, children }: LoadedProps<T>) {
  const text = useText()
  if (query.data !== undefined) return children(query.data)
  if (query.error !== null) {
    return (
      <div className="flex flex-col items-start gap-3">
        <Refusal error={query.error} />
        <button type="button" className="button" onClick={() => void query.refetch()}>
          {text('ui.retry')}
        </button>
      </div>
    )
  }
  return (
    <div className="flex flex-col gap-3" role="status" aria-label={text('ui.loading')}>
      <div className="skeleton h-9" />
      <div className="skeleton h-9 w-5/6" />
      <div className="skeleton h-9 w-2/3" />
    </div>
  )
}
