import { Controller, useFormContext } from 'react-hook-form'
import { useText } from '#text/use-text.tsx'
import { SwitchField } from '#ui/kit/switch-field.tsx'
import { Labelled } from '#ui/plain/labelled.tsx'
import type { PortalDraft } from './draft.ts'

/** What a package may be, and what senders agree to. */
export function EditLimits() {
  const text = useText<'console'>()
  const { register, control, watch } = useFormContext<PortalDraft>()
  const turned = (name: 'isLimited' | 'file_type_restriction_enabled' | 'terms_of_service_enabled') => (
    <Controller
      control={control}
      name={name}
      render={({ field: { value, onChange } }) => (
        <SwitchField label={text(`limits.${name}`)} isSelected={value} onChange={onChange} />
      )}
    />
  )
  const amount = (name: 'maxPackageGB' | 'maxFileGB' | 'max_file_count', step: string) => (
    <Labelled label={text(`limits.${name}`)}>
      {(field) => (
        <input {...field} type="number" min={0} step={step} className="input" placeholder="∞" {...register(name)} />
      )}
    </Labelled>
  )
  return (
    <div className="flex flex-col gap-5">
      {turned('isLimited')}
      {watch('isLimited') && (
        <div className="grid gap-4 sm:grid-cols-3">
          {amount('maxPackageGB', 'any')}
          {amount('maxFileGB', 'any')}
          {amount('max_file_count', '1')}
        </div>
      )}
      {turned('file_type_restriction_enabled')}
      {watch('file_type_restriction_enabled') && (
        <Labelled label={text('limits.types')} hint={text('limits.typesHint')}>
          {(field) => <input {...field} className="input font-mono" spellCheck={false} {...register('file_types')} />}
        </Labelled>
      )}
      {turned('terms_of_service_enabled')}
      {watch('terms_of_service_enabled') && (
        <>
          <Labelled label={text('limits.termsTitle')}>
            {(field) => <input {...field} className="input" maxLength={200} {...register('termsTitle')} />}
          </Labelled>
          <Labelled label={text('limits.termsText')} hint={text('limits.termsHint')}>
            {(field) => (
              <textarea {...field} className="input min-h-40" maxLength={50_000} {...register('termsText')} />
            )}
          </Labelled>
        </>
      )}
    </div>
  )
}
