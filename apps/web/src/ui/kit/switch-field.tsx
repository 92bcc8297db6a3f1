import type { ReactNode } from 'react'
import { Switch } from 'react-aria-components'

interface SwitchFieldProps {
  readonly label: ReactNode
  readonly hint?: string | undefined
  readonly isSelected: boolean
  readonly onChange: (isSelected: boolean) => void
  readonly isDisabled?: boolean
}

/** On or off, in force at once or with the form around it. */
export function SwitchField({ label, hint, isSelected, onChange, isDisabled = false }: SwitchFieldProps) {
  return (
    <Switch className="switch" isSelected={isSelected} onChange={onChange} isDisabled={isDisabled}>
      <span className="switch-track" />
      <span>
        <span className="block font-medium">{label}</span>
        {hint !== undefined && <span className="block text-sm text-ink-soft">{hint}</span>}
      </span>
    </Switch>
  )
}
