/** Bytes as lower-case hexadecimal text. */

const digits = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

/** Encodes bytes as lower-case hex without a prefix, two digits a byte. */
export function encodeHex(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += digits[byte]
  return text
}

/** Decodes hex of either case, without a prefix; a TypeError for any other text. */
export function decodeHex(text: string): Uint8Array {
  if (text.length % 2 !== 0 || !/^[\da-f]*$/i.test(text)) {
    throw new TypeError('Cannot decode hex: expected an even number of hex digits and nothing else')
  }
  const bytes = new Uint8Array(text.length / 2)
  for (let index = 0; index < bytes.length; index++) {
    bytes[index] = digitValue(text.charCodeAt(index * 2)) * 16 + digitValue(text.charCodeAt(index * 2 + 1))
  }
  return bytes
}

/** The value of a hex digit by its code: letters have bit 6, and count from 1. */
function digitValue(code: number): number {
  return (code & 15) + (code >> 6) * 9
}
