/** Bytes as standard base64 with padding (RFC 4648 section 4). */

/** Encodes bytes as base64 with padding. */
export function encodeBase64(bytes: Uint8Array): string {
  // fromCharCode takes its bytes as arguments; 8 KiB a call stays far below every engine's argument limit.
  let binary = ''
  for (let start = 0; start < bytes.length; start += 8192) {
    // Typed for arrays, made for anything with a length; a spread would walk the bytes one by one.
    const chunk = bytes.subarray(start, start + 8192) as unknown as number[]
    binary += String.fromCharCode.apply(null, chunk)
  }
  return btoa(binary)
}

/** Decodes base64 with its padding and without white space; a TypeError for any other text. */
export function decodeBase64(text: string): Uint8Array {
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) {
    throw new TypeError('Cannot decode base64: expected the standard alphabet with padding')
  }
  const binary = atob(text)
  const bytes = new Uint8Array(binary.length)
  for (let index = 0; index < binary.length; index++) bytes[index] = binary.charCodeAt(index)
  return bytes
}
