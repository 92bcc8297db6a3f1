import { CloudUpload } from 'lucide-react'
import { useFormContext } from 'react-hook-form'
import { useText } from '#text/use-text.tsx'
import { type FieldDraft, type PortalDraft, takesOptions } from './draft.ts'

const colors = /^#[0-9a-f]{6}$/i
const images = /^https:\/\//

/** What a sender will see, while it is typed. */
export function PortalPreview() {
  const text = useText<'console'>()
  const draft = useFormContext<PortalDraft>().watch()
  const color = colors.test(draft.primary_color) ? draft.primary_color : undefined
  const fields = draft.hasForm ? draft.fields : []
  const shown = fields.filter(({ visibility }) => visibility !== 'hidden')
  const asks = (type: FieldDraft['type']) => !fields.some((field) => field.type === type)
  return (
    <aside className="xl:sticky xl:top-8 xl:self-start" aria-label={text('preview.title')}>
      <p className="mb-2 text-sm font-semibold text-ink-soft">{text('preview.title')}</p>
      <div className="card overflow-hidden">
        <div className="h-2 bg-accent" style={color === undefined ? {} : { background: color }} />
        {images.test(draft.background_url) && (
          <img src={draft.background_url} alt="" className="h-24 w-full object-cover" />
        )}
        <div className="flex flex-col gap-4 p-5">
          {images.test(draft.logo_url) && (
            <img src={draft.logo_url} alt="" className="max-h-12 max-w-40 self-start object-contain" />
          )}
          <p className="text-lg font-semibold wrap-anywhere">{draft.name === '' ? text('preview.name') : draft.name}</p>
          {draft.message !== '' && <p className="text-sm whitespace-pre-wrap wrap-anywhere">{draft.message}</p>}
          <div className="flex flex-col items-center gap-1 rounded-lg border-2 border-dashed border-line-strong p-5 text-sm text-ink-soft">
            <CloudUpload size={22} aria-hidden />
            {text('preview.drop')}
          </div>
          {asks('sender_email') && <Line label={text('preview.sender')} isRequired />}
          {asks('package_name') && <Line label={text('preview.package')} isRequired={false} />}
          {shown.map((field) => (
            <Question key={field.name} field={field} />
          ))}
          {asks('package_description') && <Line label={text('preview.message')} isRequired={false} />}
          {draft.terms_of_service_enabled && (
            <p className="flex gap-2 text-sm">
              <span className="mt-0.5 size-4 flex-none rounded border border-line-strong" />
              {draft.termsTitle === '' ? text('preview.terms') : draft.termsTitle}
            </p>
          )}
          <span
            className="rounded-lg bg-accent py-2 text-center font-semibold text-on-accent"
            style={color === undefined ? {} : { background: color, color: readableOn(color) }}
          >
            {text('preview.send')}
          </span>
        </div>
      </div>
    </aside>
  )
}

function Line({ label, isRequired }: { readonly label: string; readonly isRequired: boolean }) {
  return (
    <div className="text-sm">
      <Asked label={label} isRequired={isRequired} />
      <div className="h-9 rounded-lg border border-line-strong bg-surface" />
    </div>
  )
}

function Asked({ label, isRequired }: { readonly label: string; readonly isRequired: boolean }) {
  const text = useText()
  return (
    <p className="mb-1 font-medium wrap-anywhere">
      {label} {!isRequired && <span className="font-normal text-ink-faint">({text('ui.optional')})</span>}
    </p>
  )
}

function Question({ field }: { readonly field: FieldDraft }) {
  const label = field.label === '' ? field.name : field.label
  if (!takesOptions(field.type) || field.type === 'dropdown') {
    return <Line label={label} isRequired={field.visibility === 'required'} />
  }
  const options = field.options.split('\n').filter((option) => option.trim() !== '')
  return (
    <div className="text-sm">
      <Asked label={label} isRequired={field.visibility === 'required'} />
      <ul className="flex flex-col gap-1">
        {options.map((option) => (
          <li key={option} className="flex items-center gap-2 wrap-anywhere">
            <span
              className={`size-4 flex-none border border-line-strong ${field.type === 'radio' ? 'rounded-full' : 'rounded'}`}
            />
            {option}
          </li>
        ))}
      </ul>
    </div>
  )
}

/** White or black, whichever can be read on a colour. */
function readableOn(color: string): string {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16) / 255)
  const linear = (part: number) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
  const luminance = 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
  return luminance > 0.179 ? '#000000' : '#ffffff'
}
