/** Keccak-256, the hash of addresses and of what wallets sign. */

import { keccakP } from '@noble/hashes/sha3.js'

const blockLength = 136

/**
 * Keccak-256 with Ethereum's padding: the library's permutation after each block of 136 bytes. The message ends in a
 * 1, zeros, and the highest bit of the last block. Words are little endian, as on every platform that runs this.
 *
 * The library's own hash is a stream of any length in and out; this is what one message needs, in half the code.
 */
export function keccak256(message: Uint8Array): Uint8Array {
  const blocks = Math.floor(message.length / blockLength) + 1
  const padded = new Uint8Array(blocks * blockLength)
  padded.set(message)
  padded[message.length] = 1
  padded[padded.length - 1] = (padded[padded.length - 1] ?? 0) | 0x80
  const state = new Uint32Array(50)
  for (let start = 0; start < padded.length; start += blockLength) {
    new Uint32Array(padded.buffer, start, blockLength / 4).forEach((word, at) => {
      state[at] = (state[at] ?? 0) ^ word
    })
    keccakP(state)
  }
  return new Uint8Array(state.buffer, 0, 32)
}
