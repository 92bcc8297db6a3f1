import { type ReactNode, useEffect } from 'react'

interface PageHeadProps {
  readonly title: string
  readonly about?: string
  /** Beside the title: what can be done here. */
  readonly children?: ReactNode
}

export function PageHead({ title, about, children }: PageHeadProps) {
  useEffect(() => {
    document.title = `${title} · Longshore`
  }, [title])
  return (
    <div className="mb-6 flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
      <div className="min-w-0 max-w-2xl">
        <h1 className="wrap-anywhere">{title}</h1>
        {about !== undefined && <p className="mt-1 text-pretty text-ink-soft">{about}</p>}
      </div>
      {children !== undefined && <div className="flex flex-wrap gap-2">{children}</div>}
    </div>
  )
}
