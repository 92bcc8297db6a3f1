import type { UseFormRegisterReturn } from 'react-hook-form'
import { useText } from '#text/use-text.tsx'
import { Labelled } from '#ui/plain/labelled.tsx'

interface PersonFieldProps {
  /** What the form knows it by: `register('email')`. */
  readonly field: UseFormRegisterReturn
  readonly label?: string
  readonly hint?: string
  readonly autoFocus?: boolean
}

interface EmailFieldProps extends PersonFieldProps {
  /** What browsers fill in: `username` where one signs in, nothing for somebody else's. */
  readonly autoComplete?: 'email' | 'username' | 'off'
}

export function EmailField({ field, label, hint, autoFocus = false, autoComplete = 'email' }: EmailFieldProps) {
  const text = useText<'console'>()
  return (
    <Labelled label={label ?? text('account.email')} hint={hint}>
      {(described) => (
        <input
          {...described}
          {...field}
          className="input"
          type="email"
          required
          maxLength={254}
          autoComplete={autoComplete}
          autoFocus={autoFocus}
        />
      )}
    </Labelled>
  )
}

/** Characters that the server wants of a new password; the contract says the same. */
export const newPasswordLength = 10

interface PasswordFieldProps extends PersonFieldProps {
  /** One that is chosen here has to be long enough; one that exists is what it is. */
  readonly isNew?: boolean
}

export function PasswordField({ field, label, hint, isNew = false }: PasswordFieldProps) {
  const text = useText<'console'>()
  const ownHint = isNew ? text('account.passwordHint', { count: newPasswordLength }) : undefined
  return (
    <Labelled label={label ?? text('account.password')} hint={hint ?? ownHint}>
      {(described) => (
        <input
          {...described}
          {...field}
          className="input"
          type="password"
          required
          minLength={isNew ? newPasswordLength : undefined}
          maxLength={1_024}
          autoComplete={isNew ? 'new-password' : 'current-password'}
        />
      )}
    </Labelled>
  )
}
