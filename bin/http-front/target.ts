/** Authority and path of a request, from a target in any form of RFC 9112, section 3.2. */

import type { IncomingMessage } from 'node:http'

/** A request that can be forwarded. */
export interface Target {
  /** Host and port as the client named them. */
  readonly authority: string
  /** Path and query, beginning with a slash. */
  readonly path: string
}

/** The reason why a request cannot be forwarded. */
export interface Refusal {
  readonly status: number
  readonly message: string
}

/**
 * Reads the target of a request. The authority of an absolute target counts before the Host header (RFC 9112, 3.2.2);
 * a request of HTTP/1.0 may have neither, and is then for the address that it came to.
 */
export function readTarget(request: IncomingMessage): Target | Refusal {
  const { url = '', headers, rawHeaders, socket, httpVersion } = request
  if (countHosts(rawHeaders) > 1) return refusal('there is more than one Host header')
  // RFC 9112, 3.2: also where the target is absolute.
  if (headers.host === undefined && httpVersion === '1.1') return refusal('HTTP/1.1 needs a Host header')
  const coding = headers['transfer-encoding']
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') {
    return { status: 501, message: 'Cannot read the request: expected chunked as its only transfer coding' }
  }
  const own = `${bracketed(socket.localAddress ?? '127.0.0.1')}:${socket.localPort}`
  const authority = headers.host ?? own
  if (url.startsWith('/')) return { authority, path: url }
  const absolute = /^https?:\/\/([^/?#]+)([^#]*)$/i.exec(url)
  if (absolute === null) return refusal('the target is neither a path nor an HTTP address')
  const [, named = '', rest = ''] = absolute
  return { authority: named, path: rest.startsWith('/') ? rest : `/${rest}` }
}

/** Puts a prefix before a path, after its steps `.` and `..` are resolved, unless the path has it already. */
export function prefixed(path: string, prefix: string): string {
  if (prefix === '') return path
  const { pathname, search } = new URL(`http://localhost${path}`)
  const hasPrefix = pathname === prefix || pathname.startsWith(`${prefix}/`)
  return `${hasPrefix ? '' : prefix}${pathname}${search}`
}

function refusal(state: string): Refusal {
  return { status: 400, message: `Cannot read the request: ${state}` }
}

function countHosts(rawHeaders: readonly string[]): number {
  let count = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (rawHeaders[at]?.length === 4 && rawHeaders[at]?.toLowerCase() === 'host') count += 1
  }
  return count
}

function bracketed(address: string): string {
  return address.includes(':') ? `[${address}]` : address
}
