import type { UseInfiniteQueryResult } from '@tanstack/react-query'

interface MoreButtonProps {
  readonly query: UseInfiniteQueryResult
  readonly children: string
}

/** Brings the next page of a list below the ones that are there; nothing behind the last. */
export function MoreButton({ query, children }: MoreButtonProps) {
  if (!query.hasNextPage) return null
  return (
    <div className="flex justify-center border-t border-line p-3">
      <button
        type="button"
        className="button"
        disabled={query.isFetchingNextPage}
        onClick={() => void query.fetchNextPage()}
      >
        {children}
      </button>
    </div>
  )
}
