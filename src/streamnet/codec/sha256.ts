/** SHA-256 (FIPS 180-4) at once, for what is short: payloads are hashed by the platform. */

// Marked as pure so that bundles which hash nothing at once leave both out.
const initial = /* @__PURE__ */ fractionsOf(Math.sqrt, 8)
const constants = /* @__PURE__ */ fractionsOf(Math.cbrt, 64)

/** The first 32 bits of the fractions of roots of the first primes. */
function fractionsOf(root: (prime: number) => number, count: number): readonly number[] {
  const primes: number[] = []
  for (let number = 2; primes.length < count; number++) if (primes.every((prime) => number % prime)) primes.push(number)
  return primes.map((prime) => ((root(prime) % 1) * 2 ** 32) | 0)
}

/** Hashes bytes to 32 bytes at once. */
export function sha256(message: Uint8Array): Uint8Array {
  const words = new DataView(new ArrayBuffer((Math.floor((message.length + 8) / 64) + 1) * 64))
  new Uint8Array(words.buffer).set(message)
  words.setUint8(message.length, 128)
  words.setBigUint64(words.byteLength - 8, BigInt(message.length) * 8n)
  let state = initial
  for (let at = 0; at < words.byteLength; at += 64) {
    const before = state
    state = compress(before, words, at).map((word, index) => (word + (before[index] ?? 0)) | 0)
  }
  const digest = new DataView(new ArrayBuffer(32))
  for (const [index, word] of state.entries()) digest.setInt32(index * 4, word)
  return new Uint8Array(digest.buffer)
}

/** The 64 rounds over one block (section 6.2.2). */
function compress(state: readonly number[], words: DataView, at: number): readonly number[] {
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state
  const schedule = new Int32Array(64)
  const scheduled = (index: number) => schedule[index] ?? 0
  for (let round = 0; round < 64; round++) {
    const [early, late] = [scheduled(round - 15), scheduled(round - 2)]
    const word =
      round < 16
        ? words.getInt32(at + round * 4)
        : (scheduled(round - 16) +
            (turn(early, 7) ^ turn(early, 18) ^ (early >>> 3)) +
            scheduled(round - 7) +
            (turn(late, 17) ^ turn(late, 19) ^ (late >>> 10))) |
          0
    schedule[round] = word
    const first = h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + (constants[round] ?? 0) + word
    const second = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))
    h = g
    g = f
    f = e
    e = (d + first) | 0
    d = c
    c = b
    b = a
    a = (first + second) | 0
  }
  return [a, b, c, d, e, f, g, h]
}

/** Turns a word to the right. */
function turn(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits))
}
