/**
 * Servers of memcached: a list in the settings or in a DNS service record, and the choice of one for a key as the
 * reference's client makes it, so that both find the same one.
 */

import { encodeUtf8 } from '#base/utf8.ts'
import { invalidSettings } from '../errors.ts'

/** One server: a host and a port, or the path of its UNIX socket on this machine. */
export type Server = { readonly host: string; readonly port: number } | { readonly path: string }

/**
 * Reads `host:port,host:port`; the order matters, because it decides which server holds a key. An item with a slash
 * is the path of a UNIX socket, as for the reference's client.
 *
 * @throws RatelimitError invalid_settings when an item is neither.
 */
export function parseServers(text: string): readonly Server[] {
  return text.split(',').map((item) => {
    if (item.trim().startsWith('/')) return { path: item.trim() }
    const match = /^(\[[0-9a-fA-F:.]+\]|[^:/\s[\]]+):(\d{1,5})$/.exec(item.trim())
    const port = Number(match?.[2])
    if (match?.[1] === undefined || port < 1 || port > 65_535) {
      throw invalidSettings(
        `MEMCACHE_HOST_PORT has "${item.trim()}", expected host:port or the absolute path of a UNIX socket`,
      )
    }
    return { host: match[1], port }
  })
}

/** Text of a server, for keys of maps and for messages. */
export function serverText(server: Server): string {
  return 'path' in server ? server.path : `${server.host}:${server.port}`
}

/** An answer of DNS over HTTPS in its JSON form, as far as it matters here. */
interface DnsAnswer {
  readonly Status?: number
  readonly Answer?: readonly { readonly type?: number; readonly data?: string }[]
}

/** The record type of a service (RFC 2782). */
const serviceType = 33

/**
 * Reads the servers out of a DNS answer, by priority, then by name and port: every instance must come to the same
 * order, or a key's hits are spread over several counters.
 *
 * @throws TypeError when the answer holds no service record.
 */
export function readServiceRecords(answer: unknown): readonly { readonly host: string; readonly port: number }[] {
  // The shape is checked field by field below.
  const { Answer: records = [] } = (answer ?? {}) as DnsAnswer
  const found = records.flatMap(({ type, data = '' }) => {
    const [priority, , port, host] = data.split(/\s+/)
    if (type !== serviceType || host === undefined) return []
    return [{ priority: Number(priority), server: { host: host.replace(/\.$/, ''), port: Number(port) } }]
  })
  if (found.length === 0) throw new TypeError('the DNS answer holds no service record')
  found.sort(
    (a, b) => a.priority - b.priority || compare(a.server.host, b.server.host) || a.server.port - b.server.port,
  )
  return found.map(({ server }) => server)
}

function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0
}

/** CRC-32 (IEEE 802.3): reflected polynomial 0xEDB88320; check value over "123456789" is 0xCBF43926. */
const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
  return crc
})

/** CRC-32 of bytes, unsigned. */
export function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff
  for (const byte of bytes) crc = (crc >>> 8) ^ (table[(crc ^ byte) & 0xff] ?? 0)
  return (crc ^ 0xffffffff) >>> 0
}

/** A key is hashed by its first 256 bytes, as the reference's client does. */
const hashedBytes = 256

/**
 * Picks the server of a key: CRC-32 of the key modulo the number of servers, in the order of the list.
 *
 * Every instance must be given the identical list, or a key's hits are spread over several counters.
 *
 * @returns an index into the list, 0 when it holds one server.
 */
export function chooseServer(key: string, servers: number): number {
  return servers === 1 ? 0 : crc32(encodeUtf8(key).subarray(0, hashedBytes)) % servers
}
