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
  const bytes = new Uint8Array(text.length >> 1)
  let wrong = text.length & 1
  for (let index = 0; index < bytes.length; index++) {
    const value = digitValue(text.charCodeAt(index * 2)) * 16 + digitValue(text.charCodeAt(index * 2 + 1))
    wrong |= value & ~0xff
    bytes[index] = value
  }
  if (wrong !== 0) {
    throw new TypeError('Cannot decode hex: expected an even number of hex digits and nothing else')
  }
  return bytes
}

/** The value of a digit by its code; what is not a digit has one that no byte can hold. */
const digitValues = Int32Array.from({ length: 128 }, (_, code) => {
  const value = '0123456789abcdef'.indexOf(String.fromCharCode(code).toLowerCase())
  return value === -1 ? 0x1000 : value
})

function digitValue(code: number): number {
  return digitValues[code] ?? 0x1000
}
