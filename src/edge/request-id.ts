/** The id of a request: taken from a proxy where it is well-formed, so that log lines of both can be joined. */

/** The header that carries the id, in requests and in answers. */
export const requestIdHeader = 'x-request-id'

/** Headers that may carry an id, the first well-formed one wins: what a proxy sets, then what the platform sets. */
export const requestIdHeaders = [requestIdHeader, 'cf-ray'] as const

/** The longest id that is taken over, in characters. */
export const longestRequestId = 128

/** Letters, digits and the punctuation of UUIDs, ray ids, trace roots and base64: nothing that a log would quote. */
const wellFormed = /^[A-Za-z0-9][\w.+/=@:-]*$/

/**
 * Finds the id that a request brings.
 *
 * @param readHeader - gives the value of a header by its name; null when the request lacks it.
 * @returns undefined when no header has an id of 1 to 128 characters, so that the caller makes one.
 */
export function readRequestId(readHeader: (header: string) => string | null): string | undefined {
  for (const header of requestIdHeaders) {
    const id = readHeader(header)
    if (id !== null && id.length <= longestRequestId && wellFormed.test(id)) return id
  }
  return undefined
}
