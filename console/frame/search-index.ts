/** Everything on the screen that has a name, for the search that `/` opens. */

import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { openRooms, type RoomPlace } from './rooms.ts'

/** Something with a name and a view that shows it. */
export interface Named {
  readonly name: string
  /** Its kind, such as `rule` or `bus`. */
  readonly kind: string
  readonly href: string
}

const byRoom = signal<ReadonlyMap<string, readonly Named[]>>(new Map())

/** Offers names to the search while the component is mounted. @param room - The offers of one room replace each other. */
export function useNames(room: string, names: readonly Named[]): void {
  const key = names.map(({ name, href }) => `${name} ${href}`).join('\n')
  useEffect(() => offerNames(room, names), [room, key])
}

/** Offers names to the search. @param place - The offers of one place replace each other. */
export function offerNames(place: string, names: readonly Named[]): void {
  byRoom.value = new Map(byRoom.peek()).set(place, names)
}

/** Most names that are found at once. */
const mostFound = 12

/** The names that hold every word of a text, first those that begin with it, last what its form names. */
export function findNames(text: string, rooms: readonly string[]): readonly Named[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return []
  const all = [...byRoom.value.values()].flat()
  const matching = all.filter(({ name, kind }) => words.every((word) => `${name} ${kind}`.toLowerCase().includes(word)))
  const begins = ({ name }: Named) => Number(name.toLowerCase().startsWith(words[0] ?? ''))
  const ordered = matching.sort((one, other) => begins(other) - begins(one))
  // Several places offer the same name; several names may open the same view.
  const listed = new Map(ordered.map((one) => [`${one.kind} ${one.name} ${one.href}`, one]))
  const formed = namedByForm(text.trim(), rooms)
  return [...[...listed.values()].slice(0, mostFound - formed.length), ...formed]
}

/** Forms of names that nothing lists, because there are too many: each with the view that looks it up. */
const forms: readonly {
  readonly room: string
  readonly kind: string
  readonly pattern: RegExp
  readonly href: (text: string) => string
}[] = [
  {
    room: 'streams',
    kind: 'transaction',
    pattern: /^(?:0x)?[0-9a-f]{64}$/i,
    href: (text) => `/console/streams/chain?tx=${text.toLowerCase().replace(/^0x/, '')}`,
  },
  {
    room: 'streams',
    kind: 'block',
    pattern: /^[1-9]\d{0,14}$/,
    href: (text) => `/console/streams/chain?block=${text}`,
  },
  { room: 'grid', kind: 'incident', pattern: /^[0-9a-f]{8}$/, href: (text) => `/console/grid?incident=${text}` },
]

/** Views for a text that has the form of a name; the thing need not exist. */
function namedByForm(text: string, rooms: readonly string[]): readonly Named[] {
  return forms
    .filter(({ room, pattern }) => rooms.includes(room) && pattern.test(text))
    .map(({ kind, href }) => ({ name: text, kind, href: href(text) }))
}

/** Reads the names of a room; its requests are aside, because the search may be about another room. */
type NameReader = (signal: AbortSignal) => Promise<readonly Named[]>

/** The code of each room's reader, which is loaded when it is first needed. */
export type NameReaders = Readonly<Record<RoomPlace['name'], () => Promise<NameReader>>>

/** Reads the names of all rooms and offers them to the search, those of each room as they come. */
export async function readEveryName(readers: NameReaders, signal: AbortSignal): Promise<readonly string[]> {
  const outcomes = await Promise.all(
    openRooms().map(async ({ name, title }) => {
      const names = await readers[name]()
        .then((readNames) => readNames(signal))
        .catch(() => null)
      if (names !== null) offerNames(`every ${name}`, names)
      return names === null ? [title] : []
    }),
  )
  return outcomes.flat()
}
