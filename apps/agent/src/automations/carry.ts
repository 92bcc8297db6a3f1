import { exportableTypes } from '@longshore/contract/agent/automations'
import { Refusal } from '@longshore/kit/refusal'
import { type Automation, checkFields, type FieldsOf, isKind, type Kind, known, withoutSecrets } from './kinds.ts'

const version = 1

/** An automation as text, for another agent. */
export function pack({ type, fields }: Automation, includeSecrets: boolean): string {
  const shown = includeSecrets ? fields : withoutSecrets(fields)
  return Buffer.from(JSON.stringify({ longshore_automation: version, type, fields: shown })).toString('base64')
}

export function unpack(data: string): { readonly type: Kind; readonly fields: FieldsOf<Kind> } {
  const { longshore_automation: made, type, fields } = read(data)
  if (made !== version || !isKind(type) || !(exportableTypes as readonly string[]).includes(type)) throw invalid()
  try {
    return { type, fields: known(type, checkFields(type, fields)) }
  } catch (cause) {
    throw invalid(cause)
  }
}

function read(data: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(Buffer.from(data, 'base64').toString())
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch (cause) {
    throw invalid(cause)
  }
}

function invalid(cause?: unknown): Refusal {
  const { message } = cause instanceof Refusal ? cause : new Refusal('automation_import_invalid')
  return new Refusal('automation_import_invalid', undefined, { details: [{ field: 'data', reason: message }], cause })
}
