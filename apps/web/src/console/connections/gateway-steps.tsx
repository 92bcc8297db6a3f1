import { type ReactNode, useState } from 'react'
import { useText } from '#text/use-text.tsx'
import { CopyField } from '#ui/plain/copy-field.tsx'
import { Labelled } from '#ui/plain/labelled.tsx'
import { gatewayCommand } from './gateway-command.ts'
import type { Connection } from './queries.ts'

/** How a machine becomes a storage gateway: the command to type there, for a folder that is named here. */
export function GatewaySteps({
  connection,
  children,
}: {
  readonly connection: Connection
  readonly children?: ReactNode
}) {
  const text = useText<'console'>()
  const [root, setRoot] = useState('')
  return (
    <div className="flex flex-col gap-4 text-start">
      <p className="text-ink-soft">{text('gateway.intro')}</p>
      <Labelled label={text('gateway.root')}>
        {(field) => (
          <input
            {...field}
            className="input font-mono text-sm"
            placeholder="/path/to/folder"
            spellCheck={false}
            autoCapitalize="off"
            value={root}
            onChange={(event) => setRoot(event.target.value)}
          />
        )}
      </Labelled>
      <div className="field">
        <p className="field-label">{text('gateway.run')}</p>
        <CopyField
          label={text('gateway.command')}
          isLong
          value={gatewayCommand(connection, root.trim() === '' ? '/path/to/folder' : root.trim())}
        />
      </div>
      {children}
    </div>
  )
}
