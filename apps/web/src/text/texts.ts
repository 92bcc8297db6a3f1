import type consoleTexts from './en/console.json'
import type downloadTexts from './en/download.json'
import type portalTexts from './en/portal.json'
import type uiTexts from './en/ui.json'
import type { Language } from './languages.ts'

interface TextsOf {
  readonly console: typeof consoleTexts
  readonly download: typeof downloadTexts
  readonly portal: typeof portalTexts
}

export type Door = keyof TextsOf

// `files_one` and `files_other` are two forms of one text, asked for as `files` with a count.
type Asked<Key extends string | number | symbol> = Key extends `${infer Text}_${'one' | 'other'}`
  ? Text
  : Extract<Key, string>

export type UiKey = Asked<keyof typeof uiTexts>
export type KeyOf<D extends Door> = UiKey | Asked<keyof TextsOf[D]>

export type Values = Readonly<Record<string, string | number>> & { readonly count?: number }
export type Text<Key extends string> = (key: Key, values?: Values) => string

type Load = () => Promise<{ readonly default: Readonly<Record<string, string>> }>
type Part = Door | 'ui'

const json = { with: { type: 'json' } } as const

const files: Readonly<Record<Language, Readonly<Record<Part, Load>>>> = {
  en: {
    ui: () => import('./en/ui.json', json),
    console: () => import('./en/console.json', json),
    download: () => import('./en/download.json', json),
    portal: () => import('./en/portal.json', json),
  },
  de: {
    ui: () => import('./de/ui.json', json),
    console: () => import('./de/console.json', json),
    download: () => import('./de/download.json', json),
    portal: () => import('./de/portal.json', json),
  },
}

/** The texts of one door in one language: those of the shared parts and its own. */
export async function loadTexts<D extends Door>(door: D, language: Language): Promise<Text<KeyOf<D>>> {
  const [shared, own] = await Promise.all([files[language].ui(), files[language][door]()])
  const texts: Readonly<Record<string, string>> = { ...shared.default, ...own.default }
  const plurals = new Intl.PluralRules(language)
  return (key, values = {}) => {
    const form = values.count === undefined ? key : `${key}_${plurals.select(values.count)}`
    const said = texts[form] ?? texts[`${key}_other`] ?? texts[key] ?? key
    // What is filled in becomes text of the page, never markup.
    return said.replaceAll(/\{\{(\w+)\}\}/g, (gap, name: string) => String(values[name] ?? gap))
  }
}
