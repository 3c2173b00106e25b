import { describe, expect, it } from 'vitest'
import { createRandom } from '#base/random.ts'
import { createKnownSigners } from '#devnode/known-signers.ts'
import { findSigner } from '#devnode/recovery.ts'
import { addressOfPrivateKey } from '#streamnet/signing/digest.ts'
import { signDigestSync } from '#streamnet/signing/sync-signer.ts'
import { sweep } from '../support/sweep.ts'

const random = createRandom(2, 'known signers')
const bytes = (length: number) => Uint8Array.from({ length }, () => random.integer(0, 255))
const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

function numberOf(part: Uint8Array): bigint {
  return part.reduce((sum, byte) => (sum << 8n) + BigInt(byte), 0n)
}

function bytesOf(value: bigint): Uint8Array {
  return Uint8Array.from({ length: 32 }, (_, at) => Number((value >> BigInt(8 * (31 - at))) & 0xffn))
}

/** The other signature of the same key over the same digest: S negated, and the other recovery byte. */
function mirrored(signature: Uint8Array): Uint8Array {
  const other = signature.slice()
  other.set(bytesOf(order - numberOf(signature.subarray(32, 64))), 32)
  other[64] = 1 - (signature[64] ?? 0)
  return other
}

/** A signature as it is, and changed in every way that a caller can change one. */
function* variants(signature: Uint8Array): Generator<Uint8Array> {
  yield signature
  yield mirrored(signature)
  for (const byte of [0, 1, 2, 3, 26, 27, 28, 29, 255]) {
    const other = signature.slice()
    other[64] = byte
    yield other
  }
  for (let turn = 0; turn < 6; turn++) {
    const other = signature.slice()
    other[random.integer(0, 63)] = random.integer(0, 255)
    yield other
  }
  for (const scalar of [0n, 1n, order - 1n, order, order + 1n, 2n ** 256n - 1n]) {
    for (const at of [0, 32]) {
      const other = signature.slice()
      other.set(bytesOf(scalar), at)
      yield other
    }
  }
  yield signature.subarray(0, 64)
  yield new Uint8Array(65)
  yield bytes(65)
}

describe('isSignedBy', () => {
  it('answers what recovery answers, before and after the table of a wallet is made', () => {
    const { isSignedBy, tables } = createKnownSigners({ signaturesBeforeTable: 6 })
    const keys = [bytes(32), bytes(32)]
    const turns = sweep(40, 8)
    const outcomes = { signed: 0, refused: 0 }
    for (let turn = 0; turn < turns; turn++) {
      for (const key of keys) {
        const digest = turn === turns - 1 ? new Uint8Array(32) : bytes(32)
        const address = addressOfPrivateKey(key)
        const signature = signDigestSync(digest, key)
        // Half of the turns bring the table nearer; each change of a signature is looked at in the others.
        for (const given of turn % 2 === 1 ? variants(signature) : [signature]) {
          const expected = findSigner(digest, given) === address
          expect(isSignedBy(address, digest, given)).toBe(expected)
          outcomes[expected ? 'signed' : 'refused']++
        }
      }
    }
    expect(tables()).toBe(keys.length)
    expect(outcomes.signed).toBeGreaterThan(2 * turns)
    expect(outcomes.refused).toBeGreaterThan(10 * turns)
  })

  it('refuses the signature of another wallet over the same digest', () => {
    const { isSignedBy } = createKnownSigners()
    const [mine, other, digest] = [bytes(32), bytes(32), bytes(32)]
    for (let turn = 0; turn < 20; turn++) {
      expect(isSignedBy(addressOfPrivateKey(mine), digest, signDigestSync(digest, mine))).toBe(true)
      expect(isSignedBy(addressOfPrivateKey(mine), digest, signDigestSync(digest, other))).toBe(false)
    }
  })

  it('makes the table of a wallet with its sixteenth signature', () => {
    const { isSignedBy, tables } = createKnownSigners()
    const [key, digest] = [bytes(32), bytes(32)]
    const made = Array.from({ length: 16 }, () => {
      isSignedBy(addressOfPrivateKey(key), digest, signDigestSync(digest, key))
      return tables()
    })
    expect(made).toEqual([...Array(15).fill(0), 1])
  })

  // A table takes longer than all else here: the gate has the smaller bound, the soak the usual one.
  it('makes 64 tables at most, and answers the same for more wallets', () => {
    const mostTables = sweep(64, 4)
    const { isSignedBy, tables } = createKnownSigners({ signaturesBeforeTable: 1, mostTables })
    const keys = Array.from({ length: mostTables + 2 }, () => bytes(32))
    const digest = bytes(32)
    const signed = keys.map((key) => [addressOfPrivateKey(key), signDigestSync(digest, key)] as const)
    for (let turn = 0; turn < 2; turn++) {
      for (const [address, signature] of signed) expect(isSignedBy(address, digest, signature)).toBe(true)
    }
    expect(tables()).toBe(mostTables)
    const [[first, signature] = [signed[0]?.[0], bytes(65)]] = signed
    expect(first && isSignedBy(first, digest, signature)).toBe(true)
  })
})
