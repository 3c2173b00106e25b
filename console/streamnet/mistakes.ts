/** Mistakes that the gateway finds in a request, at the fields of a form. */

import type { ConsoleError } from '../frame/errors.ts'

/** The message of the gateway's mistake at a field; undefined without one. */
export function mistakeAt(error: ConsoleError | null, path: string): string | undefined {
  const body = error?.body
  if (typeof body !== 'object' || body === null || !('mistakes' in body)) return undefined
  // A problem of the gateway has its mistakes as a list of path and message.
  const mistakes = body.mistakes as readonly { readonly path: string; readonly message: string }[]
  return mistakes.find((one) => one.path === path)?.message
}

/** Tells if a mistake of an error is at one of these fields, which show it. */
export function isAtFields(error: ConsoleError | null, paths: readonly string[]): boolean {
  return paths.some((path) => mistakeAt(error, path) !== undefined)
}
