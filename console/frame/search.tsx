/** The search that `/` opens: everything with a name, found by a few letters. */

import type { JSX } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Dialog } from './dialog.tsx'
import { Form } from './fields.tsx'
import { openRooms } from './rooms.ts'
import { navigate } from './router.ts'
import { findNames, type Named, type NameReaders, readEveryName } from './search-index.ts'

/** The dialog of the search; Enter goes to the first name that is found. */
export function Search(props: { readonly readers: NameReaders; readonly onClose: () => void }): JSX.Element {
  const { readers, onClose } = props
  const [text, setText] = useState('')
  const input = useRef<HTMLInputElement>(null)
  useLayoutEffect(() => input.current?.focus(), [])
  const unread = useEveryName(readers)
  const rooms = openRooms().map(({ name }) => name)
  const found = [...placesToGo(text), ...findNames(text, rooms)]
  const go = (one: Named | undefined) => {
    if (one === undefined) return
    // In the place of the entry that opening the search has made.
    navigate(one.href, 'replace')
    onClose()
  }
  return (
    <Dialog title="Find" onClose={onClose}>
      <Form onSubmit={() => go(found[0])}>
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
        <p class="quiet" role="status">
          {describeSearch(found.length, unread)}
        </p>
      </Form>
    </Dialog>
  )
}

/** The state of the search in words. @param unread - Titles of rooms that cannot be read; null until all have answered. */
function describeSearch(found: number, unread: readonly string[] | null): string {
  if (unread === null) return found > 0 ? '' : 'Looking.'
  const nothing = found > 0 ? '' : 'Nothing has this name. '
  if (unread.length === 0) return nothing
  return `${nothing}Cannot look through ${unread.join(', ')}: the token is missing or wrong, or there is no answer.`
}

/** Reads the names of all rooms. @returns the titles of those that cannot be read; null until all have answered. */
function useEveryName(readers: NameReaders): readonly string[] | null {
  const [unread, setUnread] = useState<readonly string[] | null>(null)
  useEffect(() => {
    const stopping = new AbortController()
    void readEveryName(readers, stopping.signal).then((titles) => {
      if (!stopping.signal.aborted) setUnread(titles)
    })
    return () => stopping.abort()
  }, [readers])
  return unread
}

/** Rooms and pages; all of them before anything is typed. */
function placesToGo(text: string): readonly Named[] {
  const places = [
    ...openRooms().map(({ name, title }) => ({ name: title, kind: 'room', href: `/console/${name}` })),
    { name: 'Docs', kind: 'page', href: '/docs' },
  ]
  return places.filter(({ name }) => name.toLowerCase().includes(text.trim().toLowerCase()))
}
