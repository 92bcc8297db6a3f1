import { type Language, languageNames, languages } from '#text/languages.ts'
import { useLanguage, useText } from '#text/use-text.tsx'
import { chooseTheme, type Theme, themes, useTheme } from './theme.ts'

/** Language and appearance, for the foot of a public page. */
export function Preferences() {
  const text = useText()
  const theme = useTheme()
  const { language, speak } = useLanguage()
  const look = 'cursor-pointer rounded bg-transparent px-1 py-1.5 text-ink-soft hover:text-ink'
  return (
    <div className="flex flex-wrap items-center gap-3 text-sm">
      <select
        className={look}
        aria-label={text('ui.language')}
        value={language}
        onChange={(event) => speak(event.target.value as Language)}
      >
        {languages.map((one) => (
          <option key={one} value={one}>
            {languageNames[one]}
          </option>
        ))}
      </select>
      <select
        className={look}
        aria-label={text('ui.theme')}
        value={theme}
        onChange={(event) => chooseTheme(event.target.value as Theme)}
      >
        {themes.map((one) => (
          <option key={one} value={one}>
            {text(`ui.theme.${one}`)}
          </option>
        ))}
      </select>
    </div>
  )
}
