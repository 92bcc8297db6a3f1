import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from 'react'
import { type Format, formatFor } from './format.ts'
import { type Language, spokenOf } from './languages.ts'
import { type Door, type KeyOf, loadTexts, type Text, type UiKey } from './texts.ts'

interface Spoken {
  readonly language: Language
  readonly text: Text<string>
  readonly format: Format
  /** Speaks another language from now on, on this device. */
  speak(language: Language): void
}

const SpokenContext = createContext<Spoken | undefined>(undefined)

const kept = 'longshore.language'

function wantedLanguage(): Language {
  const chosen = localStorage.getItem(kept)
  return spokenOf(chosen === null ? navigator.languages : [chosen])
}

interface TextsProps {
  readonly door: Door
  /** IANA name; the one of the device where left out. */
  readonly timeZone?: string | undefined
  readonly children: ReactNode
}

/** Gives everything inside its texts. Shows nothing until they are there: a page of keys helps nobody. */
export function Texts({ door, timeZone, children }: TextsProps) {
  const [language, setLanguage] = useState(wantedLanguage)
  const [loaded, setLoaded] = useState<{ readonly language: Language; readonly text: Text<string> }>()
  useEffect(() => {
    let current = true
    void loadTexts(door, language).then((text) => {
      if (!current) return
      document.documentElement.lang = language
      setLoaded({ language, text: text as Text<string> })
    })
    return () => {
      current = false
    }
  }, [door, language])
  const spoken = useMemo(
    () =>
      loaded && {
        ...loaded,
        format: formatFor(loaded.language, timeZone),
        speak(wanted: Language) {
          localStorage.setItem(kept, wanted)
          setLanguage(wanted)
        },
      },
    [loaded, timeZone],
  )
  return spoken === undefined ? null : <SpokenContext value={spoken}>{children}</SpokenContext>
}

function useSpoken(): Spoken {
  const spoken = useContext(SpokenContext)
  if (spoken === undefined) throw new Error('There are no texts outside of <Texts>.')
  return spoken
}

/** The texts of a door: `useText<'portal'>()`. Shared parts name none and know the shared texts only. */
export function useText<D extends Door | undefined = undefined>() {
  return useSpoken().text as Text<D extends Door ? KeyOf<D> : UiKey>
}

export const useFormat = (): Format => useSpoken().format

export function useLanguage() {
  const { language, speak } = useSpoken()
  return { language, speak }
}
