/** Parts that lie over a view: the sheet of an inspector, a dialog, a question. */

import type { ComponentChildren, JSX } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'
import { openDialogEntry } from './back.ts'
import { Button } from './components.tsx'

/** Takes the keyboard with `take`, and gives it back with `release` when the part goes. */
function useFocus(take: () => void, release?: () => void): void {
  // Before the painting: a later effect would let keys through.
  useLayoutEffect(() => {
    const before = document.activeElement
    take()
    return () => {
      release?.()
      if (before instanceof HTMLElement && before.isConnected) before.focus()
    }
  }, [])
}

interface OverlayProps {
  readonly title: string
  readonly onClose: () => void
  readonly children: ComponentChildren
}

/** An inspector at the right, from below on a phone; Escape and its button close it. */
export function Sheet(props: OverlayProps): JSX.Element {
  const id = useId()
  const heading = useRef<HTMLHeadingElement>(null)
  const { onClose, title } = props
  useFocus(() => heading.current?.focus())
  return (
    <aside class="sheet" aria-labelledby={id} onKeyDown={(event) => closeOnEscape(event, onClose)}>
      <header>
        <h2 id={id} ref={heading} tabIndex={-1}>
          {title}
        </h2>
        <Button onClick={onClose} label={`Close ${title}`}>
          Close
        </Button>
      </header>
      <div class="sheet-body">{props.children}</div>
    </aside>
  )
}

/**
 * A dialog over the page; the browser keeps the keyboard inside it. Escape takes it out of the page at once: the browser
 * would hide it first and say so in a later task, and keys pressed in between would be lost.
 */
export function Dialog(props: OverlayProps): JSX.Element {
  const id = useId()
  const element = useRef<HTMLDialogElement>(null)
  const { title, onClose } = props
  const latest = useRef(onClose)
  latest.current = onClose
  useFocus(
    () => element.current?.showModal(),
    () => element.current?.close(),
  )
  useLayoutEffect(() => openDialogEntry(() => latest.current()), [])
  return (
    <dialog
      ref={element}
      aria-labelledby={id}
      onKeyDown={(event) => closeOnEscape(event, onClose)}
      // A browser closes dialogs in other ways too: the gesture "back" of a phone.
      onClose={({ currentTarget }) => currentTarget.isConnected && onClose()}
    >
      <header>
        <h2 id={id}>{title}</h2>
        <Button onClick={onClose}>Close</Button>
      </header>
      {props.children}
    </dialog>
  )
}

function closeOnEscape(event: KeyboardEvent, close: () => void): void {
  // While letters are composed, Escape is the composer's.
  if (event.key !== 'Escape' || event.isComposing) return
  event.preventDefault()
  event.stopPropagation()
  close()
}

/** A question before something that cannot be taken back: what will happen, and the button that does it. */
export function Confirm(
  props: OverlayProps & { readonly action: string; readonly onConfirm: () => void },
): JSX.Element {
  return (
    <Dialog title={props.title} onClose={props.onClose}>
      <div class="stack">
        {props.children}
        <div class="row end">
          <Button onClick={props.onClose}>Keep as it is</Button>
          <Button
            kind="danger"
            onClick={() => {
              props.onConfirm()
              props.onClose()
            }}
          >
            {props.action}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
