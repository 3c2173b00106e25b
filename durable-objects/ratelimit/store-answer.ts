/** Answers of objects that hold connections to a store. */

import { messageOf } from '#base/errors.ts'

/** A value, or the store's own words: an error that is thrown across the call would lose them. */
export type StoreAnswer<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly message: string }

/** Waits for a value; an error becomes the answer. */
export async function answerStore<T>(value: Promise<T>): Promise<StoreAnswer<T>> {
  try {
    return { ok: true, value: await value }
  } catch (error) {
    return { ok: false, message: messageOf(error) }
  }
}
