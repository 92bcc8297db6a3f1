import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'

interface EmptyStateProps {
  readonly icon: LucideIcon
  readonly title: string
  readonly children?: ReactNode
}

/** Where a list has nothing to show: why, and what to do next. */
export function EmptyState({ icon: Icon, title, children }: EmptyStateProps) {
  return (
    <div className="empty">
      <Icon size={32} strokeWidth={1.5} aria-hidden />
      <p className="font-semibold">{title}</p>
      {children !== undefined && (
        <div className="flex max-w-md flex-col items-center gap-4 text-ink-soft">{children}</div>
      )}
    </div>
  )
}
