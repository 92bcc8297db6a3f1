import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answerOfType, faultOf, firstAnswers, shownFields, valuesOf } from './answers.ts'
import type { Field } from './portal.ts'

const field = (
  type: Field['type'],
  visibility: Field['visibility'] = 'optional',
  more: Partial<Field> = {},
): Field => ({
  name: `the ${type}`,
  label: type,
  type,
  visibility,
  ...more,
})

test('a required field is not answered by blanks', () => {
  assert.equal(faultOf(field('short_text', 'required'), '  '), 'required')
  assert.equal(faultOf(field('short_text', 'required'), 'x'), undefined)
  assert.equal(faultOf(field('short_text'), ''), undefined)
})

test('typed fields take what they are made for', () => {
  assert.equal(faultOf(field('email'), 'a@b,c@d'), 'email')
  assert.equal(faultOf(field('sender_email'), ''), 'required')
  assert.equal(faultOf(field('url'), 'javascript:alert(1)'), 'url')
  assert.equal(faultOf(field('url'), 'https://example.com'), undefined)
  assert.equal(faultOf(field('number'), 'twelve'), 'number')
  assert.equal(faultOf(field('number'), '-1.5'), undefined)
})

test('what a sender cannot change is not held against them, and what is hidden is not shown', () => {
  const fields = [field('email', 'readonly', { default_value: 'not one' }), field('short_text', 'hidden')]
  assert.equal(faultOf(fields[0] as Field, 'not one'), undefined)
  assert.deepEqual(shownFields(fields), fields.slice(0, 1))
})

test('name, message and sender of the package come from the form where it asks for them', () => {
  const fields = [field('package_name', 'required', { default_value: ' Rushes ' })]
  assert.equal(answerOfType(fields, firstAnswers(fields), 'package_name'), 'Rushes')
  assert.equal(answerOfType(fields, firstAnswers(fields), 'sender_email'), undefined)
})

test('several choices are sent in one line, and read from one', () => {
  const fields = [field('checkbox', 'optional', { options: ['A', 'B', 'C'], default_value: 'A, C' })]
  assert.deepEqual(firstAnswers(fields), { 'the checkbox': 'A\nC' })
  assert.deepEqual(valuesOf(fields, { 'the checkbox': 'B\nC' }), { 'the checkbox': { value: 'B, C' } })
})
