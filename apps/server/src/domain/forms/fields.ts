import { invalid } from '#domain/refusal'
import type { FieldRow, FieldType } from '#store/forms'

/** A field as it is sent to us. */
export type GivenField = Pick<FieldRow, 'name' | 'label' | 'type' | 'visibility'> &
  Partial<Pick<FieldRow, 'default_value' | 'position' | 'options'>>

// These say something of the package itself, so a form asks each of them once at most.
const onceOnly: readonly FieldType[] = ['package_name', 'package_description', 'sender_email']

/** The fields of a form in the order in which they are shown. */
export function fieldsOf(given: readonly GivenField[]): readonly FieldRow[] {
  const names = new Set<string>()
  const types = new Set<FieldType>()
  for (const [index, { name, type }] of given.entries()) {
    if (names.has(name)) throw invalid(`fields/${index}/name`, 'must be unique in the form')
    // Answers come as an object with the names of the fields; no JSON parser of ours lets this one in.
    if (name === '__proto__') throw invalid(`fields/${index}/name`, 'must not be __proto__')
    if (onceOnly.includes(type) && types.has(type)) {
      throw invalid(`fields/${index}/type`, `must be the only ${type} of the form`)
    }
    names.add(name)
    types.add(type)
  }
  return given
    .map((field, index) => ({
      name: field.name,
      label: field.label,
      type: field.type,
      visibility: field.visibility,
      default_value: field.default_value ?? '',
      position: field.position ?? index,
      options: field.options ?? [],
    }))
    .toSorted((a, b) => a.position - b.position)
}
