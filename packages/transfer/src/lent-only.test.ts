import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const own =
  /from '(?:node:|fs|http)|\b(?:process|Buffer|require|fetch|setTimeout|setInterval|setImmediate|performance|Date\.now|Math\.random|console)\b(?!:)/

test('the engine has no clock, no chance, no disk and no network but those it is lent', () => {
  const sources = globSync('*.ts', { cwd: import.meta.dirname }).filter((file) => !file.endsWith('.test.ts'))
  assert.ok(sources.length > 20)
  const guilty = sources.filter((file) =>
    own.test(withoutComments(readFileSync(join(import.meta.dirname, file), 'utf8'))),
  )
  assert.deepEqual(guilty, [])
})

const withoutComments = (source: string) => source.replaceAll(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm, '')
