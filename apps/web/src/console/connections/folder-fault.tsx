import { ApiError } from '@longshore/client/client'
import { Unplug } from 'lucide-react'
import { useText } from '#text/use-text.tsx'
import { EmptyState } from '#ui/plain/empty-state.tsx'
import { Notice } from '#ui/plain/notice.tsx'
import { Refusal } from '#ui/plain/refusal.tsx'
import { GatewaySteps } from './gateway-steps.tsx'
import { type Connection, isOffline } from './queries.ts'
import { storeWords } from './store-words.ts'

/** Why there is nothing to see, and what to do about it. */
export function FolderFault({ connection, error }: { readonly connection: Connection; readonly error: Error }) {
  const text = useText<'console'>()
  if (isOffline(error)) {
    return (
      <EmptyState icon={Unplug} title={text('gateway.away')}>
        <p>{text('gateway.awayHint')}</p>
        <details className="w-full">
          <summary className="cursor-pointer font-medium text-ink">{text('gateway.register')}</summary>
          <div className="mt-3">
            <GatewaySteps connection={connection}>
              <p className="text-sm">{text('gateway.secretLost')}</p>
            </GatewaySteps>
          </div>
        </details>
      </EmptyState>
    )
  }
  const isRefused = error instanceof ApiError && error.error === 'connection_refused'
  return (
    <div className="flex flex-col gap-3 p-5">
      {isRefused ? <Notice kind="danger">{storeWords(text, error.message)}</Notice> : <Refusal error={error} />}
      {isRefused && connection.direction === 'export' && <p className="text-ink-soft">{text('folder.onlySending')}</p>}
    </div>
  )
}
