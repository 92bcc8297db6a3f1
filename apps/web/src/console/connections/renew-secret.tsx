import { rotateGatewaySecret } from '@longshore/contract/cloud/connections'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useText } from '#text/use-text.tsx'
import { ConfirmDialog } from '#ui/kit/confirm-dialog.tsx'
import { CopyField } from '#ui/plain/copy-field.tsx'
import { ShownOnce } from '../frame/shown-once.tsx'
import { asUser } from '../session/api.ts'
import { newSecretCommand } from './gateway-command.ts'
import { GatewaySteps } from './gateway-steps.tsx'
import type { Connection } from './queries.ts'

interface RenewSecretProps {
  readonly connection: Connection
  readonly onClose: () => void
}

/** Gives a storage gateway another secret, and says what its machine has to be told. */
export function RenewSecret({ connection, onClose }: RenewSecretProps) {
  const text = useText<'console'>()
  const client = useQueryClient()
  const renew = useMutation({
    mutationFn: () => asUser(rotateGatewaySecret, { params: { cloud_connection_id: connection.id } }),
  })
  if (renew.data === undefined) {
    return (
      <ConfirmDialog
        title={text('gateway.renewTitle', { name: connection.name })}
        action={text('gateway.renew')}
        isOpen
        isPending={renew.isPending}
        error={renew.error}
        onConfirm={() => renew.mutate()}
        onClose={onClose}
      >
        {text('gateway.renewHint')}
      </ConfirmDialog>
    )
  }
  return (
    <ShownOnce
      title={text('gateway.renewed', { name: connection.name })}
      label={text('gateway.secret')}
      value={renew.data.secret}
      wide
      onClose={() => {
        onClose()
        // Its agent was let go, and may be there again by now.
        void client.invalidateQueries({ queryKey: ['connections'] })
      }}
    >
      <div className="field">
        <p className="field-label">{text('gateway.runOnMachine')}</p>
        <CopyField label={text('gateway.command')} isLong value={newSecretCommand(connection)} />
      </div>
      <details>
        <summary className="cursor-pointer font-medium">{text('gateway.register')}</summary>
        <div className="mt-3">
          <GatewaySteps connection={connection} />
        </div>
      </details>
    </ShownOnce>
  )
}
