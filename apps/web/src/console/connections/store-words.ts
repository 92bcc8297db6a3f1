import type { KeyOf, Text } from '#text/texts.ts'

const known = [
  'AccessDenied',
  'AuthorizationHeaderMalformed',
  'InvalidAccessKeyId',
  'NoSuchBucket',
  'NotFound',
  'PermanentRedirect',
  'SignatureDoesNotMatch',
] as const

/** What a store said, for people. The API puts the store's own word in brackets; those that we know are explained. */
export function storeWords(text: Text<KeyOf<'console'>>, said: string): string {
  const word = /\((\w+)\)/.exec(said)?.[1]
  const code = known.find((one) => one === word)
  return code === undefined ? said : `${text(`store.${code}`)} (${code})`
}
