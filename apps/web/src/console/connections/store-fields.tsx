import type { InputHTMLAttributes } from 'react'
import { useFormContext } from 'react-hook-form'
import { useText } from '#text/use-text.tsx'
import { Labelled } from '#ui/plain/labelled.tsx'
import type { Answers } from './answers.ts'

const places = ['usual', 'path', 'host'] as const

/** Where a bucket is, and the keys to it. They are never shown again, so whoever changes one gives all of them. */
export function StoreFields({ isNew }: { readonly isNew: boolean }) {
  const text = useText<'console'>()
  const { register, watch } = useFormContext<Answers>()
  return (
    <>
      {!isNew && (
        <label className="check">
          <input type="checkbox" {...register('hasNewKeys')} />
          <span>
            {text('connections.newKeys')}
            <span className="block text-sm text-ink-soft">{text('connections.newKeysHint')}</span>
          </span>
        </label>
      )}
      {watch('hasNewKeys') && (
        <div className="grid items-start gap-4 sm:grid-cols-2">
          <KeyField name="endpoint" type="url" placeholder="https://" hint={text('connections.endpointHint')} />
          <KeyField name="region" placeholder="us-east-1" maxLength={64} />
          <KeyField name="bucket" required minLength={3} maxLength={255} />
          <Labelled label={text('connections.bucketStands')}>
            {(field) => (
              <select {...field} className="input" {...register('bucketStands')}>
                {places.map((place) => (
                  <option key={place} value={place}>
                    {text(`connections.bucketStands.${place}`)}
                  </option>
                ))}
              </select>
            )}
          </Labelled>
          <KeyField name="accessKey" required maxLength={256} />
          <KeyField
            name="secretKey"
            type="password"
            required
            maxLength={256}
            hint={text('connections.secretKeyHint')}
          />
        </div>
      )}
    </>
  )
}

interface KeyFieldProps extends InputHTMLAttributes<HTMLInputElement> {
  readonly name: 'endpoint' | 'region' | 'bucket' | 'accessKey' | 'secretKey'
  readonly hint?: string
}

function KeyField({ name, hint, ...input }: KeyFieldProps) {
  const text = useText<'console'>()
  const { register } = useFormContext<Answers>()
  return (
    <Labelled label={text(`connections.${name}`)} hint={hint}>
      {(field) => (
        <input
          {...field}
          className="input font-mono text-sm"
          spellCheck={false}
          autoCapitalize="off"
          // Not the password of the person who types, whom browsers would offer to remember it for.
          autoComplete={name === 'secretKey' ? 'new-password' : 'off'}
          maxLength={2_048}
          {...input}
          {...register(name)}
        />
      )}
    </Labelled>
  )
}
