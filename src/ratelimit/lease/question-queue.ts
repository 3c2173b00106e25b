/** Counters that a holder is to ask about ahead of time, by their object, until a message to the object takes them along. */

import { askAhead, type HeldLeases, type Surplus } from './held-leases.ts'
import type { WireDraw } from './lease.ts'

/** Questions of one message beside those of its request, and objects that are asked at once. */
export const questionBounds = { perMessage: 128, objects: 256 } as const

/** Makes an empty queue for the leases of one holder. */
export function createQuestionQueue(held: HeldLeases) {
  const waiting = new Map<string, Map<string, Surplus>>()
  return {
    /** Adds a counter, or has it asked by its newest limit. */
    add(object: string, wish: Surplus): void {
      const wishes = waiting.get(object) ?? new Map<string, Surplus>()
      waiting.set(object, wishes.set(`${wish.unit} ${wish.key}`, wish))
    },

    /** Takes the questions that wait for an object; some may have been asked meanwhile. */
    take(object: string, nowMs: number): readonly WireDraw[] {
      const wishes = waiting.get(object)
      if (wishes === undefined) return []
      const taken = [...wishes].slice(0, questionBounds.perMessage)
      for (const [name] of taken) wishes.delete(name)
      // The object goes to the end of the order in which objects are asked.
      waiting.delete(object)
      if (wishes.size > 0) waiting.set(object, wishes)
      return taken.map(([, wish]) => askAhead(held, wish, nowMs)).filter((wire) => wire !== null)
    },

    /** Lists the objects to ask next. */
    objects: (): readonly string[] => [...waiting.keys()].slice(0, questionBounds.objects),

    isEmpty: (): boolean => waiting.size === 0,

    clear: (): void => waiting.clear(),
  }
}
