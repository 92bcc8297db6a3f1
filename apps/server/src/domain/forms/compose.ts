import type { ResponseRow } from '#store/form-responses'
import type { DeliveryFormat } from '#store/forms'
import { presentResponse } from './present.ts'

export type FileFormat = Exclude<DeliveryFormat, 'email_body'>

/** The answers as the content of `metadata.json`, `.csv` or `.xml`. */
export const compose: Readonly<Record<FileFormat, (response: ResponseRow) => string>> = {
  json: (response) => `${JSON.stringify(presentResponse(response), undefined, 2)}\n`,
  csv: toCsv,
  xml: toXml,
}

/** RFC 4180: a line of names, then one line for each field. */
function toCsv(response: ResponseRow): string {
  const lines = response.answers.map(({ name, label, type, value }) => [name, label, type, value])
  return [['name', 'label', 'type', 'value'], ...lines].map((cells) => `${cells.map(csvCell).join(',')}\r\n`).join('')
}

function csvCell(text: string): string {
  // A spreadsheet would run what begins like this; behind an apostrophe it is text.
  const inert = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert
}

/** XML 1.0. Names of fields may be anything, so they are attributes and never elements. */
function toXml(response: ResponseRow): string {
  const { id, form_id, portal_id, fields, created_at } = presentResponse(response)
  const root = attributes({ id, form_id, portal_id, created_at })
  const lines = fields.map(({ value, ...about }) => `  <field${attributes(about)}>${escaped(value)}</field>`)
  return ['<?xml version="1.0" encoding="UTF-8"?>', `<metadata${root}>`, ...lines, '</metadata>', ''].join('\n')
}

const attributes = (pairs: Readonly<Record<string, string>>): string =>
  Object.entries(pairs)
    .map(([name, value]) => ` ${name}="${escaped(value)}"`)
    .join('')

// What XML 1.0 cannot hold, escaped or not: control characters, halves of characters and two that are none.
const unwritable = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu

// Line ends and tabs are escaped too: a parser makes one kind of all line ends, and blanks of both in attributes.
const escaped = (text: string): string =>
  text.replace(unwritable, '\u{fffd}').replace(/[&<>"'\t\n\r]/g, (character) => `&#${character.charCodeAt(0)};`)
