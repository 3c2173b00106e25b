/** What `/` opens: everything with a name, found by a few letters. */

import type { JSX } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { findNames, type Named } from './find.ts'
import { Dialog } from './pieces.tsx'
import { openRooms } from './rooms.ts'
import { navigate } from './router.ts'

/** The search. */
export function Search({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const [text, setText] = useState('')
  const input = useRef<HTMLInputElement>(null)
  useLayoutEffect(() => input.current?.focus(), [])
  const found = text === '' ? placesToGo() : findNames(text)
  const go = (one: Named | undefined) => {
    if (one === undefined) return
    onClose()
    navigate(one.href)
  }
  return (
    <Dialog title="Find" onClose={onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault()
          go(found[0])
        }}
      >
        <input
          ref={input}
          type="text"
          aria-label="A key, rule, bus, station, incident, stream, transaction or block"
          placeholder="key, rule, bus, incident, stream ..."
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
        <ul class="found" aria-label="Found">
          {found.map((one) => (
            <li key={one.href + one.name}>
              <button type="button" onClick={() => go(one)}>
                <span class="mono">{one.name}</span> <small>{one.kind}</small>
              </button>
            </li>
          ))}
        </ul>
        {found.length === 0 ? (
          <p class="quiet">
            Nothing in the rooms that were opened has this name. Open the room that it belongs to, and search
            again.
          </p>
        ) : null}
      </form>
    </Dialog>
  )
}

function placesToGo(): readonly Named[] {
  return [
    ...openRooms().map(({ name, title }) => ({ name: title, kind: 'room', href: `/console/${name}` })),
    { name: 'Docs', kind: 'page', href: '/docs' },
  ]
}
