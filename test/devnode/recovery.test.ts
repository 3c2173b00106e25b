import { secp256k1 } from '@noble/curves/secp256k1.js'
import { expect, test } from 'vitest'
import { createRandom } from '#base/random.ts'
import { compressKey, findSigner, recoverKey } from '#devnode/recovery.ts'
import { addressOfPrivateKey, recoverAddress } from '#streamnet/signing/digest.ts'
import { signDigestSync } from '#streamnet/signing/sync-signer.ts'

const random = createRandom(1, 'recovery')
const bytes = (length: number) => Uint8Array.from({ length }, () => random.integer(0, 255))
const order = 'fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141'
const ofOrder = Uint8Array.from(order.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))

/** The address that the client's library recovers; wallets and the client sign with it. */
function bySmallLibrary(digest: Uint8Array, signature: Uint8Array): string | undefined {
  try {
    return recoverAddress(digest, signature)
  } catch {
    return undefined
  }
}

test('findSigner finds the key that signed, with a recovery byte of the chain or of a wallet', () => {
  for (let turn = 0; turn < 50; turn++) {
    const [key, digest] = [bytes(32), bytes(32)]
    const signature = signDigestSync(digest, key)
    expect(findSigner(digest, signature)).toBe(addressOfPrivateKey(key))
    const wallet = signature.slice()
    wallet[64] = (signature[64] ?? 0) + 27
    expect(findSigner(digest, wallet)).toBe(addressOfPrivateKey(key))
  }
})

test('findSigner answers as the small library does for changed, foreign and impossible signatures', () => {
  const outcomes = { found: 0, none: 0 }
  for (let turn = 0; turn < 400; turn++) {
    const digest = bytes(32)
    const signature = turn % 4 === 0 ? bytes(65) : signDigestSync(digest, bytes(32))
    if (turn % 4 === 1) signature[random.integer(0, 63)] = random.integer(0, 255)
    if (turn % 4 === 2) signature.set(turn % 8 === 2 ? new Uint8Array(32) : ofOrder, 32 * (turn % 3 === 0 ? 0 : 1))
    signature[64] = [0, 1, 2, 3, 27, 28, 29, 255][turn % 8] ?? 0
    const signer = findSigner(digest, signature)
    expect(signer).toBe(bySmallLibrary(digest, signature))
    outcomes[signer === undefined ? 'none' : 'found']++
  }
  expect(outcomes.found).toBeGreaterThan(50)
  expect(outcomes.none).toBeGreaterThan(50)
})

test('findSigner answers undefined for a signature of another length', () => {
  for (const length of [0, 64, 66]) expect(findSigner(bytes(32), bytes(length))).toBeUndefined()
})

test('recoverKey finds the key of an address only, and compressKey writes it as the curve library does', () => {
  for (let turn = 0; turn < 20; turn++) {
    const [key, digest] = [bytes(32), bytes(32)]
    const signature = signDigestSync(digest, key)
    const found = recoverKey(addressOfPrivateKey(key), digest, signature)
    expect(compressKey(found ?? new Uint8Array())).toEqual(secp256k1.getPublicKey(key, true))
    expect(recoverKey(addressOfPrivateKey(bytes(32)), digest, signature)).toBeUndefined()
  }
  expect(recoverKey(addressOfPrivateKey(bytes(32)), bytes(32), bytes(64))).toBeUndefined()
})
