/** A queue of bytes that come in chunks and are taken in other lengths. */

/** Bytes in the order in which they came. */
export interface ByteQueue {
  /** Bytes that can be taken. */
  readonly length: number
  push(chunk: Uint8Array): void
  /** Takes a copy of the first bytes, of which there must be so many. */
  take(length: number): Uint8Array
}

/** Creates an empty queue. */
export function createByteQueue(): ByteQueue {
  const chunks: Uint8Array[] = []
  let available = 0
  return {
    get length() {
      return available
    },
    push(chunk) {
      if (chunk.length > 0) chunks.push(chunk)
      available += chunk.length
    },
    take(length) {
      const taken = new Uint8Array(length)
      let filled = 0
      while (filled < length) {
        const first = chunks[0] ?? new Uint8Array(0)
        const part = first.subarray(0, length - filled)
        taken.set(part, filled)
        filled += part.length
        if (part.length === first.length) chunks.shift()
        else chunks[0] = first.subarray(part.length)
      }
      available -= length
      return taken
    },
  }
}
