import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileUrl, fileUrls, listFiles, waybill } from '@longshore/contract/cloud/files'
import { answerForm } from '@longshore/contract/cloud/forms'
import { lookUpLink } from '@longshore/contract/cloud/links'
import { createPortalPackage } from '@longshore/contract/cloud/packages'
import { lookUpPortal, readPortal } from '@longshore/contract/cloud/portals'
import { languages } from './languages.ts'

const anywhere = ['internal_error', 'overloaded', 'rate_limited', 'storage_unavailable', 'validation_failed']

/** What each public page calls, and what its credential can be refused with besides. */
const doors = {
  portal: { calls: [lookUpPortal, readPortal, answerForm, createPortalPackage], besides: ['access_code_wrong'] },
  download: {
    calls: [lookUpLink, listFiles, fileUrl, fileUrls, waybill],
    besides: [
      'link_not_found',
      'link_password_required',
      'link_password_wrong',
      'token_expired',
      'token_revoked',
      'credential_invalid',
    ],
  },
} as const

const textsOf = (language: string, part: string) =>
  JSON.parse(readFileSync(new URL(`./${language}/${part}.json`, import.meta.url), 'utf8')) as Record<string, string>

for (const [door, { calls, besides }] of Object.entries(doors)) {
  for (const language of languages) {
    test(`the ${door} page has words in ${language} for whatever its calls are refused with`, () => {
      const texts = { ...textsOf(language, 'ui'), ...textsOf(language, door) }
      const refusals = [...calls.flatMap((call) => call.refusals as readonly string[]), ...besides, ...anywhere]
      const wordless = refusals.filter((name) => texts[`error.${name}`] === undefined)
      assert.deepEqual(wordless, [])
    })
  }
}
