import { HardDriveUpload } from 'lucide-react'
import { useState } from 'react'
import { useText } from '#text/use-text.tsx'
import { EmptyState } from '#ui/plain/empty-state.tsx'
import { useConnections } from '../connections/use-connections.ts'
import type { Package } from '../packages/queries.ts'
import type { Transfer } from './queries.ts'
import { SendDialog } from './send-dialog.tsx'
import { TransferList } from './transfer-list.tsx'

/** Sending a package to storage of the Team, and how far that is. */
export function StorageTab({ pkg, transfers }: { readonly pkg: Package; readonly transfers: readonly Transfer[] }) {
  const text = useText<'console'>()
  const { targets } = useConnections()
  const [isSending, setSending] = useState(false)
  return (
    <div className="flex flex-col gap-4">
      {targets.length > 0 && (
        <button type="button" className="button button-primary self-start" onClick={() => setSending(true)}>
          <HardDriveUpload size={17} aria-hidden />
          {text('transfers.send')}
        </button>
      )}
      {transfers.length === 0 ? (
        <EmptyState icon={HardDriveUpload} title={text('transfers.none')}>
          <p>{text('transfers.noneHint')}</p>
        </EmptyState>
      ) : (
        <TransferList pkg={pkg} transfers={transfers} />
      )}
      {isSending && <SendDialog pkg={pkg} targets={targets} onClose={() => setSending(false)} />}
    </div>
  )
}
