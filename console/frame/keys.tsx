/** Keys of the page: the two that open dialogs, and the list of all. */

import type { JSX } from 'preact'
import { useLayoutEffect } from 'preact/hooks'
import { Facts } from './components.tsx'
import { Dialog } from './dialog.tsx'

/** `/` finds, `?` shows the keys, from the first painting on. */
export function useShortcuts(open: (overlay: 'search' | 'keys') => void): void {
  useLayoutEffect(() => {
    const openByKey = (event: KeyboardEvent) => {
      const { target, key } = event
      const isWriting = target instanceof HTMLElement && target.closest('input, textarea, select, dialog') !== null
      if (isWriting || event.ctrlKey || event.metaKey || event.altKey) return
      if (key !== '/' && key !== '?') return
      event.preventDefault()
      open(key === '/' ? 'search' : 'keys')
    }
    addEventListener('keydown', openByKey)
    return () => removeEventListener('keydown', openByKey)
  }, [open])
}

const keys: readonly (readonly [key: string, what: string])[] = [
  ['/', 'find anything that has a name'],
  ['?', 'show these keys'],
  ['Esc', 'close what is open'],
  ['Tab', 'go to the next control'],
  ['← →', 'move the cursor of a chart; Enter picks the moment'],
  ['Enter', 'open the row, press the button'],
]

/** The dialog with the list. */
export function Keys({ onClose }: { readonly onClose: () => void }): JSX.Element {
  return (
    <Dialog title="Keys" onClose={onClose}>
      <Facts facts={keys.map(([key, what]) => [<kbd key={key}>{key}</kbd>, what])} />
    </Dialog>
  )
}
