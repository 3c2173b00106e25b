/**
 * The lines that open a relayed connection to a store: the Worker names the server, the relay says whether it got
 * there. What follows either line is the store's own protocol.
 */

import { isRecord, parseJson } from './json.ts'
import { encodeUtf8 } from './utf8.ts'

/** The server that a relayed connection is for: a host and a port, or the path of its UNIX socket. */
export type RelayRequest = { readonly tls: boolean } & (
  | { readonly host: string; readonly port: number }
  | { readonly path: string }
)

/** The longest line of a request in bytes: room for the longest host name of the DNS or path of a socket. */
export const maxRelayLine = 1_024

const decoder = new TextDecoder()
const newline = 0x0a

/** Writes the line of a request. */
export function encodeRelayRequest(request: RelayRequest): Uint8Array {
  return encodeUtf8(`${JSON.stringify(request)}\n`)
}

/** Reads the line of a request, without its end; null when it is malformed. */
export function parseRelayRequest(line: string): RelayRequest | null {
  const value = parseJson(line)
  if (!isRecord(value) || typeof value.tls !== 'boolean') return null
  const { tls, path, host, port } = value
  if (path !== undefined) return typeof path === 'string' ? { path, tls } : null
  return typeof host === 'string' && typeof port === 'number' ? { host, port, tls } : null
}

/** Writes the relay's line: an empty refusal is none. */
export function encodeRelayVerdict(refusal: string | null): Uint8Array {
  return encodeUtf8(refusal === null ? '+\n' : `-${refusal.replaceAll(/\s+/g, ' ')}\n`)
}

/**
 * Reads the relay's line.
 *
 * @returns the reason of a refusal, null for none, and the bytes behind the line; null while it has not arrived whole.
 */
export function readRelayVerdict(
  bytes: Uint8Array,
): { readonly refusal: string | null; readonly rest: Uint8Array } | null {
  const end = bytes.indexOf(newline)
  if (end < 0) return null
  const line = decoder.decode(bytes.subarray(0, end))
  return { refusal: line === '+' ? null : line.slice(1), rest: bytes.subarray(end + 1) }
}
