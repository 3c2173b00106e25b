/** SHA-256 (FIPS 180-4), and HMAC with it (RFC 2104). */

import { concatBytes } from '../bytes.ts'

const blockLength = 64

/**
 * The first 32 bits behind the point of a root, which a double has with 17 bits to spare.
 *
 * @param root - below 18.
 */
function fractionOf(root: number): number {
  return ((root % 1) * 2 ** 32) | 0
}

function firstPrimes(count: number): readonly number[] {
  const primes: number[] = []
  for (let number = 2; primes.length < count; number++) {
    if (primes.every((prime) => number % prime !== 0)) primes.push(number)
  }
  return primes
}

/** The constants of the rounds, and the state before the first block. */
const rounds = /* @__PURE__ */ Int32Array.from(firstPrimes(blockLength), (prime) => fractionOf(Math.cbrt(prime)))
const initial = /* @__PURE__ */ Int32Array.from(firstPrimes(8), (prime) => fractionOf(Math.sqrt(prime)))

/** The message, a bit, zeros, and its length in bits, in whole blocks. */
function pad(message: Uint8Array): DataView {
  const { length } = message
  const padded = new Uint8Array(Math.ceil((length + 9) / blockLength) * blockLength)
  padded.set(message)
  padded[length] = 0x80
  const view = new DataView(padded.buffer)
  view.setBigUint64(padded.length - 8, BigInt(length) * 8n)
  return view
}

function rotate(word: number, bits: number): number {
  return (word >>> bits) | (word << -bits)
}

/** The words of a block, and 48 more made of them. */
function schedule(words: Int32Array, view: DataView, offset: number): void {
  for (let at = 0; at < blockLength; at++) {
    if (at < 16) {
      words[at] = view.getInt32(offset + at * 4)
      continue
    }
    const far = words[at - 15] ?? 0
    const near = words[at - 2] ?? 0
    const sigma0 = rotate(far, 7) ^ rotate(far, 18) ^ (far >>> 3)
    const sigma1 = rotate(near, 17) ^ rotate(near, 19) ^ (near >>> 10)
    words[at] = (words[at - 16] ?? 0) + sigma0 + (words[at - 7] ?? 0) + sigma1
  }
}

/** Hashes a message; the digest has 32 bytes. */
export function sha256(message: Uint8Array): Uint8Array<ArrayBuffer> {
  const state = initial.slice()
  const words = new Int32Array(blockLength)
  const view = pad(message)
  for (let offset = 0; offset < view.byteLength; offset += blockLength) {
    schedule(words, view, offset)
    // By index: taking the array apart costs as much as the rounds.
    let a = state[0] ?? 0
    let b = state[1] ?? 0
    let c = state[2] ?? 0
    let d = state[3] ?? 0
    let e = state[4] ?? 0
    let f = state[5] ?? 0
    let g = state[6] ?? 0
    let h = state[7] ?? 0
    for (let at = 0; at < blockLength; at++) {
      const sum1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)
      const first = (h + sum1 + ((e & f) ^ (~e & g)) + (rounds[at] ?? 0) + (words[at] ?? 0)) | 0
      const sum0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)
      const second = (sum0 + ((a & b) ^ (a & c) ^ (b & c))) | 0
      h = g
      g = f
      f = e
      e = (d + first) | 0
      d = c
      c = b
      b = a
      a = (first + second) | 0
    }
    const added = [a, b, c, d, e, f, g, h]
    for (let at = 0; at < 8; at++) state[at] = (state[at] ?? 0) + (added[at] ?? 0)
  }
  const digest = new DataView(new ArrayBuffer(32))
  for (const [at, word] of state.entries()) digest.setInt32(at * 4, word)
  return new Uint8Array(digest.buffer)
}

/** Authenticates a message with a key of any length; the code has 32 bytes. */
export function hmacSha256(key: Uint8Array, message: Uint8Array): Uint8Array<ArrayBuffer> {
  const block = new Uint8Array(blockLength)
  block.set(key.length > blockLength ? sha256(key) : key)
  const inner = sha256(
    concatBytes(
      block.map((byte) => byte ^ 0x36),
      message,
    ),
  )
  return sha256(
    concatBytes(
      block.map((byte) => byte ^ 0x5c),
      inner,
    ),
  )
}
