/** Errors that a call ends with where it is refused. */

/**
 * Gives the error of a class that a call throws; undefined where it throws none. Every other error is passed on.
 *
 * @param code - the one that the error must have; any when absent.
 */
export function refusal<E extends Error>(
  kind: abstract new (...args: never[]) => E,
  call: () => unknown,
  code?: string,
): E | undefined {
  try {
    call()
    return undefined
  } catch (error) {
    if (error instanceof kind && (code === undefined || Reflect.get(error, 'code') === code)) return error
    throw error
  }
}

/** Gives the same error as `code: message`. */
export function refusalText<E extends Error & { readonly code: string }>(
  kind: abstract new (...args: never[]) => E,
  call: () => unknown,
): string | undefined {
  const error = refusal(kind, call)
  return error && `${error.code}: ${error.message}`
}
