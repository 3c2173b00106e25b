/** Requests that change nothing. */

/** Tests that a method is GET, or HEAD, which is GET without the body (RFC 9110, 9.3.2). */
export function isReading({ method }: { readonly method: string }): boolean {
  return method === 'GET' || method === 'HEAD'
}
