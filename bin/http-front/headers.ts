/** Headers on their way through the front: what belongs to one connection stays there. */

import type { IncomingHttpHeaders } from 'node:http'
import { withoutSessionCookies } from './session-cookie.ts'

/** Fields of one connection (RFC 9110, 7.6.1), and those that the front writes or answers itself. */
const connectionFields = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
  // The key of a session.
  'x-sluice-session',
])

/** The runtime's own control fields: a client that sends one would speak to it, not to the service. */
const controlPrefix = 'mf-'

/** The fields of a request as the runtime gets them, names and values in turn; `own` replace those of the client. */
export function requestFields(
  raw: readonly string[],
  authority: string,
  own: Readonly<Record<string, string>>,
): string[] {
  const dropped = namedByConnection(raw)
  const fields = ['host', authority]
  for (const [name, value] of Object.entries(own)) fields.push(name, value)
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = raw[at]?.toLowerCase() ?? ''
    if (connectionFields.has(name) || name === 'host' || name === 'expect') continue
    if (dropped?.has(name) || name in own || name.startsWith(controlPrefix)) continue
    const value = raw[at + 1] ?? ''
    // Also on ports without a sign-in: a browser sends them the cookie too.
    const kept = name === 'cookie' ? withoutSessionCookies(value) : value
    if (name !== 'cookie' || kept !== '') fields.push(name, kept)
  }
  return fields
}

/** The fields of an answer as the client gets them. */
export function responseFields(headers: IncomingHttpHeaders): Record<string, string | string[]> {
  const fields: Record<string, string | string[]> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined && !connectionFields.has(name.toLowerCase())) fields[name] = value
  }
  return fields
}

/** Names in the Connection header besides the known ones; never the length of a body. */
function namedByConnection(raw: readonly string[]): ReadonlySet<string> | undefined {
  let named: Set<string> | undefined
  for (let at = 0; at + 1 < raw.length; at += 2) {
    if (raw[at]?.length !== 10 || raw[at]?.toLowerCase() !== 'connection') continue
    for (const option of raw[at + 1]?.toLowerCase().split(',') ?? []) {
      const name = option.trim()
      if (name === 'keep-alive' || name === 'close' || name === '' || name === 'content-length') continue
      named ??= new Set()
      named.add(name)
    }
  }
  return named
}
