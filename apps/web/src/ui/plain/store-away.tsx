import type { ReactNode } from 'react'
import { useText } from '#text/use-text.tsx'
import { Notice } from './notice.tsx'

/** The server answers and the store does not: what to try, and whom to tell. */
export function StoreAway({ host, children }: { readonly host: string; readonly children: ReactNode }) {
  const text = useText()
  return (
    <Notice kind="warn">
      <p className="[overflow-wrap:anywhere]">{text('ui.storeAway', { host })}</p>
      <p>{children}</p>
    </Notice>
  )
}
