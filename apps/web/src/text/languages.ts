/** Languages that the pages speak; the first one where nobody's own is among them. */
export const languages = ['en', 'de'] as const
export type Language = (typeof languages)[number]

export const languageNames: Readonly<Record<Language, string>> = { en: 'English', de: 'Deutsch' }

/** The first of the wanted languages that we speak; `de-AT` is served by `de`. */
export function spokenOf(wanted: readonly string[]): Language {
  const bases = wanted.map((tag) => tag.toLowerCase().split('-')[0])
  return languages.find((language) => language === bases.find((base) => languages.some((l) => l === base))) ?? 'en'
}
