/** Choice of the memcached server of a key: the mapping of the reference's client, so that both find the same one. */

/** CRC-32 (IEEE 802.3): reflected polynomial 0xEDB88320; check value over "123456789" is 0xCBF43926. */
const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
  return crc
})

const encoder = new TextEncoder()

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
  return servers === 1 ? 0 : crc32(encoder.encode(key).subarray(0, hashedBytes)) % servers
}
