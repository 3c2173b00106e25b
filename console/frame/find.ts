/** Everything on the screen that has a name, for the search that `/` opens. */

import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'

/** Something with a name and a view that shows it. */
export interface Named {
  readonly name: string
  /** What it is, such as `rule` or `bus`. */
  readonly kind: string
  /** Where it is shown. */
  readonly href: string
}

const byRoom = signal<ReadonlyMap<string, readonly Named[]>>(new Map())

/** Offers names to the search while the component is mounted. @param room - The offers of one room replace each other. */
export function useNames(room: string, names: readonly Named[]): void {
  const key = names.map(({ name, href }) => `${name} ${href}`).join('\n')
  useEffect(() => {
    byRoom.value = new Map(byRoom.peek()).set(room, names)
  }, [room, key])
}

/** The names that hold every word of a text, at most twelve; those that begin with it come first. */
export function findNames(text: string): readonly Named[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return []
  const all = [...byRoom.value.values()].flat()
  const found = all.filter(({ name, kind }) =>
    words.every((word) => `${name} ${kind}`.toLowerCase().includes(word)),
  )
  const begins = ({ name }: Named) => Number(name.toLowerCase().startsWith(words[0] ?? ''))
  return found.sort((one, other) => begins(other) - begins(one)).slice(0, 12)
}
