import { useSyncExternalStore } from 'react'

export const themes = ['system', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

const kept = 'longshore.theme'
const listeners = new Set<() => void>()

const chosenTheme = (): Theme => themes.find((theme) => theme === localStorage.getItem(kept)) ?? 'system'

/** Shows the page as it was chosen on this device. Called once before anything is drawn. */
export function applyTheme(): void {
  const theme = chosenTheme()
  if (theme === 'system') delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = theme
}

export function chooseTheme(theme: Theme): void {
  localStorage.setItem(kept, theme)
  applyTheme()
  for (const tell of listeners) tell()
}

export const useTheme = (): Theme =>
  useSyncExternalStore((tell) => {
    listeners.add(tell)
    return () => listeners.delete(tell)
  }, chosenTheme)
