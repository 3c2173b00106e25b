/** The list of keys that `?` opens. */

import type { JSX } from 'preact'
import { Facts } from './components.tsx'
import { Dialog } from './dialog.tsx'

const keys: readonly (readonly [key: string, what: string])[] = [
  ['/', 'find anything that has a name'],
  ['?', 'show these keys'],
  ['Esc', 'close what is open'],
  ['Tab', 'go to the next control'],
  ['← →', 'move the cursor of a chart; Enter picks the moment'],
  ['Enter', 'open the row, press the button'],
]

/** The list of keys. */
export function Keys({ onClose }: { readonly onClose: () => void }): JSX.Element {
  return (
    <Dialog title="Keys" onClose={onClose}>
      <Facts facts={keys.map(([key, what]) => [<kbd key={key}>{key}</kbd>, what])} />
    </Dialog>
  )
}
