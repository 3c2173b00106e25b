/** Text as UTF-8 bytes. */

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Encodes text as UTF-8; a lone surrogate becomes U+FFFD. */
export function encodeUtf8(text: string): Uint8Array {
  return encoder.encode(text)
}

/** Encodes into bytes that are there, many times faster than into new ones; returns how many were written. */
export function writeUtf8(text: string, target: Uint8Array): number {
  return encoder.encodeInto(text, target).written
}

/** Decodes UTF-8 strictly, or throws a TypeError; a byte-order mark is kept as a character. */
export function decodeUtf8(bytes: Uint8Array): string {
  return decoder.decode(bytes)
}
