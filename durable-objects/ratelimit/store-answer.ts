/** Answers of objects that hold connections to a store. */

import { messageOf } from '#base/errors.ts'
import { RatelimitError } from '#ratelimit/errors.ts'

/** A value, or the store's own words: an error that is thrown across the call would lose them. */
export type StoreAnswer<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly message: string }

/**
 * Takes the value out of an answer.
 *
 * @throws RatelimitError counter_unavailable with the store's own words, which the reference answers over gRPC.
 */
export function requireValue<T>(answer: StoreAnswer<T>): T {
  if (answer.ok) return answer.value
  throw new RatelimitError('counter_unavailable', answer.message)
}

/** Waits for a value; an error becomes the answer. */
export async function answerStore<T>(value: Promise<T>): Promise<StoreAnswer<T>> {
  try {
    return { ok: true, value: await value }
  } catch (error) {
    return { ok: false, message: messageOf(error) }
  }
}
