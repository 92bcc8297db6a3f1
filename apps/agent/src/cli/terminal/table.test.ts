import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Column, tableLines } from '#cli/terminal/table'
import { widthOf } from '#cli/terminal/text'

interface Row {
  readonly id: string
  readonly name: string
  readonly size: string
}

const columns: readonly Column<Row>[] = [
  { title: 'ID', of: ({ id }) => id },
  { title: 'SIZE', of: ({ size }) => size, align: 'right', dropAt: 1 },
  { title: 'NAME', of: ({ name }) => name, stretches: true },
]
const rows: readonly Row[] = [
  { id: '1', size: '28.9 GB', name: 'Dailies of the twelfth day, camera B' },
  { id: '22', size: '5 B', name: '密码.txt' },
]

test('columns are as wide as what is in them', () => {
  assert.deepEqual(tableLines(columns, rows, 120), [
    'ID     SIZE  NAME',
    '1   28.9 GB  Dailies of the twelfth day, camera B',
    '22      5 B  密码.txt',
  ])
})

test('a narrow terminal shortens the column that stretches, then loses those that may go', () => {
  assert.deepEqual(tableLines(columns, rows, 32), [
    'ID     SIZE  NAME',
    '1   28.9 GB  Dailies o… camera B',
    '22      5 B  密码.txt',
  ])
  assert.deepEqual(tableLines(columns, rows, 20), ['ID  NAME', '1   Dailies …amera B', '22  密码.txt'])
})

test('no line is wider than the terminal', () => {
  for (let width = 12; width <= 120; width++) {
    assert.ok(
      tableLines(columns, rows, width).every((line) => widthOf(line) <= width),
      String(width),
    )
  }
})
