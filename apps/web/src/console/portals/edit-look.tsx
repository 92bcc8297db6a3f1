import { useFormContext } from 'react-hook-form'
import { useText } from '#text/use-text.tsx'
import { Labelled } from '#ui/plain/labelled.tsx'
import type { PortalDraft } from './draft.ts'

const suggestions = ['#0b5d57', '#1f4e8c', '#5b3a8e', '#a3341b', '#8a5a00', '#1e6b3a', '#2b2b2b']

/** Colour, logo and background. Plain values only: nothing here can become markup or style of its own. */
export function EditLook() {
  const text = useText<'console'>()
  const { register, setValue, watch } = useFormContext<PortalDraft>()
  const color = watch('primary_color')
  return (
    <div className="flex flex-col gap-5">
      <Labelled label={text('look.color')} hint={text('look.colorHint')}>
        {(field) => (
          <div className="flex flex-wrap items-center gap-2">
            <input
              {...field}
              className="input w-32 font-mono"
              pattern="#[0-9a-fA-F]{6}"
              maxLength={7}
              placeholder="#0b5d57"
              spellCheck={false}
              {...register('primary_color')}
            />
            {suggestions.map((one) => (
              <button
                key={one}
                type="button"
                className="size-9 cursor-pointer rounded-lg border border-line aria-pressed:outline-2 aria-pressed:outline-offset-2 aria-pressed:outline-focus"
                style={{ background: one }}
                aria-label={one}
                aria-pressed={color === one}
                onClick={() => setValue('primary_color', color === one ? '' : one, { shouldDirty: true })}
              />
            ))}
          </div>
        )}
      </Labelled>
      <Labelled label={text('look.logo')} hint={text('look.imageHint')}>
        {(field) => (
          <input
            {...field}
            type="url"
            className="input"
            maxLength={2_048}
            placeholder="https://"
            {...register('logo_url')}
          />
        )}
      </Labelled>
      <Labelled label={text('look.background')} hint={text('look.imageHint')}>
        {(field) => (
          <input
            {...field}
            type="url"
            className="input"
            maxLength={2_048}
            placeholder="https://"
            {...register('background_url')}
          />
        )}
      </Labelled>
    </div>
  )
}
