/** Light, dark, or as the system is; kept in this browser. */

import { signal } from '@preact/signals'

type Theme = 'system' | 'light' | 'dark'

const stored = localStorage.getItem('sluice-theme')

/** The chosen theme; components that read the value follow it. */
export const theme = signal<Theme>(stored === 'light' || stored === 'dark' ? stored : 'system')

/** Goes on to the next of system, light and dark. */
export function nextTheme(): void {
  const order: readonly Theme[] = ['system', 'light', 'dark']
  theme.value = order[(order.indexOf(theme.peek()) + 1) % order.length] ?? 'system'
  localStorage.setItem('sluice-theme', theme.peek())
  applyTheme()
}

/** Writes the choice to the document, where the style sheet reads it. */
export function applyTheme(): void {
  const { dataset } = document.documentElement
  if (theme.peek() === 'system') delete dataset.theme
  else dataset.theme = theme.peek()
}
