/** Text as UTF-8 bytes. */

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Encodes text as UTF-8; a lone surrogate becomes U+FFFD. */
export function encodeUtf8(text: string): Uint8Array {
  return encoder.encode(text)
}

/**
 * Encodes text as UTF-8 into bytes that are there already, many times faster than into new ones where texts are short.
 *
 * @param target - with room for three bytes a unit of text; what does not fit is left out.
 * @returns the number of bytes written.
 */
export function writeUtf8(text: string, target: Uint8Array): number {
  return encoder.encodeInto(text, target).written
}

/**
 * Decodes UTF-8 strictly: a byte-order mark is kept as a character.
 *
 * @throws TypeError when the bytes are not well-formed UTF-8.
 */
export function decodeUtf8(bytes: Uint8Array): string {
  return decoder.decode(bytes)
}
