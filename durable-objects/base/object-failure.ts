/** Failures of an object or its storage. The platform reports them without a cause that a caller may read. */

/**
 * Tells whether a call failed because the object or its storage did: a full disk, a reset, an overload. What the
 * object's own code throws is another matter.
 *
 * @see https://developers.cloudflare.com/durable-objects/best-practices/error-handling/
 */
export function isObjectFailure(error: unknown): error is Error {
  if (!(error instanceof Error)) return false
  const { overloaded, durableObjectReset } = error as { overloaded?: unknown; durableObjectReset?: unknown }
  if (overloaded === true || durableObjectReset === true) return true
  return /^internal error\b/i.test(error.message) || /\bSQLITE_(?:FULL|IOERR|NOMEM|CANTOPEN)\b/.test(error.message)
}

/** Text of such a failure for the caller; the log has the platform's own words and reference. */
export const objectFailureText =
  'the object that keeps this state failed, or its storage is full or out of reach; try again'
