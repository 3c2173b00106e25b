/** Paths: that of a request, found without taking its URL apart, its first segment, and the operator plane's prefix. */

/** Prefix of the operator plane on the port of all surfaces. */
export const operatorPrefix = '/ratelimit'

/** Finds the path of a request's URL, as `new URL(url).pathname` would. */
export function pathOf(url: string): string {
  const start = url.indexOf('/', url.indexOf('//') + 2)
  const query = url.indexOf('?', start)
  const path = query < 0 ? url.slice(start) : url.slice(start, query)
  const fragment = path.indexOf('#')
  return fragment < 0 ? path : path.slice(0, fragment)
}

/** The first segment of a path, with its slash. */
export function rootOf(path: string): string {
  const end = path.indexOf('/', 1)
  return end < 0 ? path : path.slice(0, end)
}
