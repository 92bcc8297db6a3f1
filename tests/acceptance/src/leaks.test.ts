import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { findLeaks } from '#leaks'

test('a secret is found wherever it stands in a log, and nothing else is', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'leaks-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const write = (name: string, text: string) => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
  const files = [
    write('clean.log', '{"key":"lsk_shortene","msg":"request"}\n'),
    write('start.log', 'lsk_shortened_secret and more'),
    write('inside.log', '{"url":"/d?secret=lsk_shortened_secret"}\n{"x":"another one here"}'),
  ]
  const found = findLeaks(files, new Set(['lsk_shortened_secret', 'another one here', 'lsk_shortened_other']))
  assert.deepEqual(
    found.map((leak) => leak.replace(/ holds.*/, '')),
    ['start.log', 'inside.log', 'inside.log'],
  )
})
