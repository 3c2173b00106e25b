/** A memcached server with one key, as the text protocol shows it. */

import type { Answer } from '#ratelimit/memcache/text.ts'

/**
 * Makes a server with one key.
 *
 * @param between - runs before every command, and may change the counter as another client would.
 */
export function oneKeyServer(between: (server: { count: number | null }) => void) {
  const server = { count: null as number | null, flags: 0, token: 0 }
  const ask = async (_: string, bytes: Uint8Array): Promise<Answer> => {
    const before = server.count
    between(server)
    if (server.count !== before) server.token++
    const [verb = '', key = '', ...rest] = new TextDecoder().decode(bytes).split(/\s+/)
    if (verb === 'gets') {
      const has = server.count !== null
      return {
        kind: 'values',
        values: new Map(has ? [[key, String(server.count)]] : []),
        tokens: new Map(has ? [[key, String(server.token)]] : []),
        flags: new Map(server.flags === 0 ? [] : [[key, server.flags]]),
      }
    }
    if (verb === 'incr') {
      if (server.count === null) return { kind: 'not-found' }
      server.count += Number(rest[0])
      server.token++
      return { kind: 'number', value: String(server.count) }
    }
    if (verb === 'add' && server.count !== null) return { kind: 'not-stored' }
    if (verb === 'cas' && server.count === null) return { kind: 'not-found' }
    if (verb === 'cas' && rest[3] !== String(server.token)) return { kind: 'exists' }
    server.flags = Number(rest[0])
    server.count = Number(rest[verb === 'cas' ? 4 : 3])
    server.token++
    return { kind: 'stored' }
  }
  return { server, ask }
}
