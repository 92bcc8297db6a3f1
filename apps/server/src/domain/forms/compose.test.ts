import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { newId } from '@longshore/kit/ids'
import fc from 'fast-check'
import type { Answer, ResponseRow } from '#store/form-responses'
import { compose } from './compose.ts'

const response = (answers: readonly Answer[]): ResponseRow => ({
  team_id: newId(),
  id: newId(),
  portal_id: newId(),
  form_id: newId(),
  delivery_formats: ['json', 'csv', 'xml'],
  answers,
  package_id: newId(),
  created_at: new Date('2026-01-02T03:04:05.678Z'),
})

const answers = (values: readonly string[]): readonly Answer[] =>
  values.map((value) => ({ name: value, label: value, type: 'long_text', value }))

/** Reads many documents by Python's own parsers: ours would share our mistakes. */
function readByPython(program: string, documents: readonly string[]): unknown {
  const { stdout, stderr, status } = spawnSync('python3', ['-c', program], {
    input: JSON.stringify(documents.map((document) => Buffer.from(document).toString('base64'))),
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  })
  assert.equal(status, 0, stderr)
  return JSON.parse(stdout)
}

const preface = `
import sys, json, base64, csv, io
import xml.etree.ElementTree as ET
csv.field_size_limit(1 << 30)
documents = [base64.b64decode(d) for d in json.load(sys.stdin)]
`

const readCsv = (documents: readonly string[]) =>
  readByPython(
    `${preface}
print(json.dumps([list(csv.reader(io.StringIO(d.decode('utf-8'), newline=''), strict=True)) for d in documents]))`,
    documents,
  ) as string[][][]

const readXml = (documents: readonly string[]) =>
  readByPython(
    `${preface}
def read(d):
    root = ET.fromstring(d)
    return [root.tag, root.attrib, [[f.tag, f.attrib, f.text or ''] for f in root]]
print(json.dumps([read(d) for d in documents]))`,
    documents,
  ) as [string, Record<string, string>, [string, Record<string, string>, string][]][]

const awkward = [
  '=HYPERLINK("http://evil","x")',
  '+cmd|calc',
  '-2+3',
  '@SUM(A1)',
  '\t=1',
  '\r=1',
  'a "quoted", text\r\nwith lines\n',
  "'already",
  'a b',
  '1a',
  '<x>',
  'xml',
  ']]>',
  '&ent; &#0;',
  '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>',
  '\u0001\u0008\u000b\ufffe\uffff',
  '\ud800',
  'a\udc00b',
  '🎬 ünï',
  '  blanks  ',
  '',
  'x'.repeat(10_000),
]

const isRun = (cell: string) => /^[=+\-@\t\r]/.test(cell)

// A lone half of a character has no bytes of its own: UTF-8 writes the replacement for it.
const inBytes = (text: string) => text.toWellFormed()

test('CSV: whatever was answered is read back, and no cell runs in a spreadsheet', () => {
  const texts: string[][] = [awkward]
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary' }), { maxLength: 5 }), (values) => void texts.push(values)),
    { numRuns: 300 },
  )
  const read = readCsv(texts.map((values) => compose.csv(response(answers(values)))))
  for (const [index, values] of texts.entries()) {
    const [head, ...lines] = read[index] ?? []
    assert.deepEqual(head, ['name', 'label', 'type', 'value'])
    assert.deepEqual(
      lines,
      values.map((value) => {
        const cell = inBytes(isRun(value) ? `'${value}` : value)
        return [cell, cell, 'long_text', cell]
      }),
    )
    assert.ok(lines.flat().every((cell) => !isRun(cell)))
  }
})

test('CSV: lines end as RFC 4180 has it, and only what must be is quoted', () => {
  const text = compose.csv(response([{ name: 'a', label: 'A, b', type: 'number', value: '-1' }]))
  assert.equal(text, `name,label,type,value\r\na,"A, b",number,'-1\r\n`)
})

const legal = (text: string) =>
  inBytes(text).replace(/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu, '\ufffd')

test('XML: well-formed whatever the fields are called, and read back but for what XML cannot hold', () => {
  const texts: string[][] = [awkward]
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary' }), { maxLength: 5 }), (values) => void texts.push(values)),
    { numRuns: 300 },
  )
  const responses = texts.map((values) => response(answers(values)))
  const read = readXml(responses.map((one) => compose.xml(one)))
  for (const [index, values] of texts.entries()) {
    const one = responses[index]
    const [tag, attributes, lines] = read[index] ?? ['', {}, []]
    assert.equal(tag, 'metadata')
    assert.deepEqual(attributes, {
      id: one?.id,
      form_id: one?.form_id,
      portal_id: one?.portal_id,
      created_at: '2026-01-02T03:04:05.678Z',
    })
    assert.deepEqual(
      lines,
      values.map((value) => ['field', { name: legal(value), label: legal(value), type: 'long_text' }, legal(value)]),
    )
  }
})

test('JSON: the form response as the API shows it', () => {
  const one = response(answers(awkward.map(inBytes)))
  const read = JSON.parse(compose.json(one)) as Record<string, unknown>
  assert.deepEqual(read, {
    id: one.id,
    form_id: one.form_id,
    portal_id: one.portal_id,
    fields: one.answers,
    created_at: '2026-01-02T03:04:05.678Z',
  })
})
