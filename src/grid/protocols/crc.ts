/** The two 16-bit cyclic redundancy checks of the telecontrol protocols. */

/** One table entry per octet, for a polynomial that runs from the low bit up. */
const dnp3Table = Uint16Array.from({ length: 256 }, (_, octet) => {
  let crc = octet
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xa6bc : crc >>> 1
  return crc
})

/** One table entry per octet, for a polynomial that runs from the high bit down. */
const ccittTable = Uint16Array.from({ length: 256 }, (_, octet) => {
  let crc = octet << 8
  for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1
  return crc & 0xffff
})

/** Computes the CRC of DNP3: 0x3D65 reflected, complemented, low octet first (IEEE 1815 clause 9.2.4.3). */
export function crcDnp3(bytes: Uint8Array): number {
  let crc = 0
  for (const octet of bytes) crc = (crc >>> 8) ^ (dnp3Table[(crc ^ octet) & 0xff] ?? 0)
  return ~crc & 0xffff
}

/** Computes CRC-CCITT: 0x1021, start 0xFFFF, high octet first (IEEE C37.118.2 annex B). */
export function crcCcitt(bytes: Uint8Array): number {
  let crc = 0xffff
  for (const octet of bytes) crc = ((crc << 8) & 0xffff) ^ (ccittTable[(crc >>> 8) ^ octet] ?? 0)
  return crc
}
