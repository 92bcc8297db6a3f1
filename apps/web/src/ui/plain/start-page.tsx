import { type ReactNode, StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { applyTheme } from './theme.ts'

/** Draws a door into its page. */
export function startPage(door: ReactNode): void {
  applyTheme()
  const root = document.querySelector('#root')
  if (root === null) throw new Error('The page has no #root.')
  createRoot(root).render(<StrictMode>{door}</StrictMode>)
}
