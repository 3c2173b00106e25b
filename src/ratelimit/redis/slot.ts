/** Hash slots of a Redis cluster: the one of its 16384 slots that a key belongs to. */

import { encodeUtf8 } from '#base/utf8.ts'

/** Number of slots of a cluster. */
export const slotCount = 16_384

/** CRC-16/XMODEM: polynomial 0x1021, no reflection, start 0; check value over "123456789" is 0x31C3. */
const table = Uint16Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 8
  for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1
  return crc
})

/** CRC-16/XMODEM of bytes. */
export function crc16(bytes: Uint8Array): number {
  let crc = 0
  for (const byte of bytes) crc = ((crc << 8) & 0xffff) ^ (table[((crc >> 8) ^ byte) & 0xff] ?? 0)
  return crc
}

/** Finds the slot of a key, 0 to 16383, by its non-empty hash tag if it has one (Redis cluster specification). */
export function keySlot(key: string): number {
  return crc16(encodeUtf8(hashTag(key))) % slotCount
}

/** Finds the hash tag of a key: what its first `{` and the `}` after it enclose, or the whole key without one. */
export function hashTag(key: string): string {
  const open = key.indexOf('{')
  const close = key.indexOf('}', open + 1)
  return open >= 0 && close > open + 1 ? key.slice(open + 1, close) : key
}
