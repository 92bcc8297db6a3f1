import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { test } from 'node:test'
import { languages, spokenOf } from './languages.ts'

const textsIn = (language: string, part: string) =>
  JSON.parse(readFileSync(new URL(`./${language}/${part}`, import.meta.url), 'utf8')) as Record<string, string>

const parts = globSync('en/*.json', { cwd: import.meta.dirname }).map((file) => basename(file))
const others = languages.filter((language) => language !== 'en')
const gaps = (text = '') =>
  [...text.matchAll(/\{\{(\w+)\}\}/g)].map(([, name = '']) => name).toSorted((a, b) => a.localeCompare(b))

for (const part of parts) {
  for (const language of others) {
    test(`${part} says in ${language} what it says in English, with the same gaps to fill`, () => {
      const english = textsIn('en', part)
      const translated = textsIn(language, part)
      assert.deepEqual(Object.keys(translated).sort(), Object.keys(english).sort())
      for (const [key, text] of Object.entries(english)) assert.deepEqual(gaps(translated[key]), gaps(text), key)
    })
  }

  test(`${part} has two forms of each text with a count, and no text that is empty`, () => {
    const texts = textsIn('en', part)
    for (const [key, text] of Object.entries(texts)) {
      assert.notEqual(text.trim(), '', key)
      if (key.endsWith('_one')) assert.ok(key.replace(/_one$/, '_other') in texts, key)
      if (key.endsWith('_other')) assert.ok(key.replace(/_other$/, '_one') in texts, key)
    }
  })
}

test('the first language that we speak is taken, regions aside, and English where there is none', () => {
  assert.equal(spokenOf(['fr-FR', 'de-AT', 'en']), 'de')
  assert.equal(spokenOf(['en-GB', 'de']), 'en')
  assert.equal(spokenOf(['ja', 'fr']), 'en')
  assert.equal(spokenOf([]), 'en')
})
