/** Result of an object's method whose contract has refusals: errors keep their code on the way. */

import { CodedError } from '#base/errors.ts'
import { doInSlices, type Sliced } from '#base/slices.ts'
import { pause } from './pause.ts'

/** A value, or the coded error that a caller turns into its own. Errors thrown across objects lose their class. */
export type Answer<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly code: string; readonly message: string; readonly hint?: string }

/** Runs a method's body; errors without a code are defects and go on as they are. */
export function answer<T>(body: () => T): Answer<T> {
  try {
    return { ok: true, value: body() }
  } catch (error) {
    return refusal(error)
  }
}

/** Runs a method's body as `answer` does, in slices; others of the object may come between them. */
export async function answerInSlices<T>(body: Sliced<T>): Promise<Answer<T>> {
  try {
    return { ok: true, value: await doInSlices(body, pause) }
  } catch (error) {
    return refusal(error)
  }
}

function refusal(error: unknown): Answer<never> {
  if (!(error instanceof CodedError)) throw error
  return {
    ok: false,
    code: String(error.code),
    message: error.message,
    ...(error.hint === undefined ? {} : { hint: error.hint }),
  }
}
