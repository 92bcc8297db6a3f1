import { deliveryFormats, fieldTypes } from '@longshore/contract/cloud/forms'
import { ArrowDown, ArrowUp, Plus, Trash2 } from 'lucide-react'
import { useId } from 'react'
import { Controller, useFieldArray, useFormContext } from 'react-hook-form'
import { useText } from '#text/use-text.tsx'
import { SwitchField } from '#ui/kit/switch-field.tsx'
import { Labelled } from '#ui/plain/labelled.tsx'
import { type FieldDraft, type FieldType, freshName, type PortalDraft, takesOptions } from './draft.ts'
import { FormTemplates } from './form-templates.tsx'

const visibilities = ['required', 'optional', 'readonly', 'hidden'] as const

/** These say something about the package itself, so that a form has each at most once. */
const onlyOnce: ReadonlySet<FieldType> = new Set(['package_name', 'package_description', 'sender_email'])

/** The questions that senders answer before they upload. */
export function FormBuilder() {
  const text = useText<'console'>()
  const { control, register, watch, getValues } = useFormContext<PortalDraft>()
  const { fields, append, remove, move } = useFieldArray({ control, name: 'fields' })
  const add = () => {
    const label = text('form.newField')
    const taken = getValues('fields').map(({ name }) => name)
    append({
      name: freshName(label, taken),
      label,
      type: 'short_text',
      visibility: 'optional',
      default_value: '',
      options: '',
      isNamedByLabel: true,
    })
  }
  return (
    <div className="flex flex-col gap-5">
      <Controller
        control={control}
        name="hasForm"
        render={({ field: { value, onChange } }) => (
          <SwitchField
            label={text('form.enabled')}
            hint={text('form.enabledHint')}
            isSelected={value}
            onChange={onChange}
          />
        )}
      />
      {watch('hasForm') && (
        <>
          <FormTemplates />
          <Labelled label={text('form.name')} hint={text('form.nameHint')}>
            {(field) => <input {...field} className="input" maxLength={200} {...register('formName')} />}
          </Labelled>
          <fieldset>
            <legend className="field-label mb-2">{text('form.delivery')}</legend>
            <div className="flex flex-wrap gap-x-5 gap-y-2">
              {deliveryFormats.map((format) => (
                <label key={format} className="check">
                  <input type="checkbox" value={format} {...register('delivery_formats')} />
                  {text(`form.format.${format}`)}
                </label>
              ))}
            </div>
          </fieldset>
          <ol className="flex flex-col gap-3">
            {fields.map(({ id }, index) => (
              <li key={id}>
                <FieldEditor
                  index={index}
                  isLast={index === fields.length - 1}
                  onMove={(by) => move(index, index + by)}
                  onRemove={() => remove(index)}
                />
              </li>
            ))}
          </ol>
          <button type="button" className="button self-start" onClick={add} disabled={fields.length >= 100}>
            <Plus size={17} aria-hidden />
            {text('form.add')}
          </button>
        </>
      )}
    </div>
  )
}

interface FieldEditorProps {
  readonly index: number
  readonly isLast: boolean
  readonly onMove: (by: -1 | 1) => void
  readonly onRemove: () => void
}

function FieldEditor({ index, isLast, onMove, onRemove }: FieldEditorProps) {
  const text = useText<'console'>()
  const id = useId()
  const { register, watch, setValue } = useFormContext<PortalDraft>()
  const all = watch('fields')
  const field: FieldDraft | undefined = all[index]
  if (field === undefined) return null
  const isTaken = (type: FieldType) => onlyOnce.has(type) && all.some((one, at) => at !== index && one.type === type)
  const label = field.label === '' ? field.name : field.label
  const nameByLabel = (event: { readonly target: { readonly value: string } }) => {
    const taken = all.filter((_, at) => at !== index).map(({ name }) => name)
    if (field.isNamedByLabel) setValue(`fields.${index}.name`, freshName(event.target.value, taken))
  }
  return (
    <div className="card flex flex-col gap-4 p-4" role="group" aria-labelledby={`${id}-label`}>
      <div className="flex items-center gap-1">
        <p id={`${id}-label`} className="flex-1 font-semibold wrap-anywhere">
          {index + 1}. {label}
        </p>
        <button
          type="button"
          className="button button-quiet button-icon button-small"
          aria-label={text('form.up', { label })}
          disabled={index === 0}
          onClick={() => onMove(-1)}
        >
          <ArrowUp size={16} aria-hidden />
        </button>
        <button
          type="button"
          className="button button-quiet button-icon button-small"
          aria-label={text('form.down', { label })}
          disabled={isLast}
          onClick={() => onMove(1)}
        >
          <ArrowDown size={16} aria-hidden />
        </button>
        <button
          type="button"
          className="button button-quiet button-icon button-small"
          aria-label={text('form.remove', { label })}
          onClick={onRemove}
        >
          <Trash2 size={16} aria-hidden />
        </button>
      </div>
      <div className="grid gap-4 sm:grid-cols-2">
        <Labelled label={text('form.label')}>
          {(described) => (
            <input
              {...described}
              className="input"
              required
              maxLength={500}
              {...register(`fields.${index}.label`, { onChange: nameByLabel })}
            />
          )}
        </Labelled>
        <Labelled label={text('form.type')}>
          {(described) => (
            <select {...described} className="input" {...register(`fields.${index}.type`)}>
              {fieldTypes.map((type) => (
                <option key={type} value={type} disabled={isTaken(type)}>
                  {text(`form.type.${type}`)}
                </option>
              ))}
            </select>
          )}
        </Labelled>
        <Labelled label={text('form.visibility')}>
          {(described) => (
            <select {...described} className="input" {...register(`fields.${index}.visibility`)}>
              {visibilities.map((one) => (
                <option key={one} value={one}>
                  {text(`form.visibility.${one}`)}
                </option>
              ))}
            </select>
          )}
        </Labelled>
        <Labelled label={text('form.fieldName')} hint={text('form.fieldNameHint')}>
          {(described) => (
            <input
              {...described}
              className="input font-mono"
              required
              maxLength={100}
              spellCheck={false}
              {...register(`fields.${index}.name`, {
                onChange: () => setValue(`fields.${index}.isNamedByLabel`, false),
              })}
            />
          )}
        </Labelled>
        {takesOptions(field.type) && (
          <Labelled label={text('form.options')} hint={text('form.optionsHint')}>
            {(described) => <textarea {...described} className="input" {...register(`fields.${index}.options`)} />}
          </Labelled>
        )}
        <Labelled label={text('form.default')}>
          {(described) => (
            <input {...described} className="input" maxLength={10_000} {...register(`fields.${index}.default_value`)} />
          )}
        </Labelled>
      </div>
    </div>
  )
}
