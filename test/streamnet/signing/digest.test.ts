import { expect, test } from 'vitest'
import { decodeHex, encodeHex } from '#base/hex.ts'
import {
  digestPersonalMessage,
  isCanonicalSignature,
  recoverAddress,
  recoverPersonalMessage,
} from '#streamnet/signing/digest.ts'
import { createSigner } from '#streamnet/signing/signer.ts'
import { malleate } from '../../support/devnode.ts'
import { vectorsOf } from '../../support/streams-vectors.ts'

interface Input {
  readonly message?: string
  readonly private_key?: string
  readonly signature_hex?: string
  readonly last_byte?: number
}

interface Expected {
  readonly address?: string
  readonly digest_hex?: string
  readonly signature_v01_hex?: string
  readonly signature_v27_hex?: string
  readonly error_contains?: string
}

for (const { id, input, expected } of vectorsOf<Input, Expected>('personal_sign')) {
  test(`personal messages follow vector ${id}`, async () => {
    const message = input.message ?? ''
    if (input.last_byte !== undefined) {
      const signature = new Uint8Array(65).fill(1)
      signature[64] = input.last_byte
      expect(() => recoverAddress(new Uint8Array(32), signature)).toThrow(expected.error_contains)
    } else if (input.signature_hex !== undefined) {
      expect(recoverPersonalMessage(message, decodeHex(input.signature_hex))).toBe(expected.address)
    } else {
      const signer = createSigner(input.private_key ?? '')
      expect(encodeHex(digestPersonalMessage(message))).toBe(expected.digest_hex)
      expect(encodeHex(await signer.signMessage(message))).toBe(expected.signature_v01_hex)
      for (const hex of [expected.signature_v01_hex, expected.signature_v27_hex]) {
        expect(recoverPersonalMessage(message, decodeHex(hex ?? ''))).toBe(signer.address)
      }
    }
  })
}

test.each([0, 64, 66])('recoverAddress() refuses a signature of %i bytes', (length) => {
  expect(() => recoverAddress(new Uint8Array(32), new Uint8Array(length))).toThrow(
    expect.objectContaining({ code: 'malformed_bytes' }),
  )
})

test('recoverAddress() refuses numbers that are not a point of the curve', () => {
  for (const fill of [0, 255]) {
    const signature = new Uint8Array(65).fill(fill)
    signature[64] = 0
    expect(() => recoverAddress(new Uint8Array(32), signature)).toThrow(
      expect.objectContaining({ code: 'malformed_bytes' }),
    )
  }
})

test('isCanonicalSignature() accepts one of the two signatures of a key over a digest', async () => {
  const signer = createSigner('5'.padStart(64, '0'))
  const digest = digestPersonalMessage('once')
  const signature = await signer.signDigest(digest)
  expect(recoverAddress(digest, malleate(signature))).toBe(signer.address)
  expect(isCanonicalSignature(signature)).toBe(true)
  expect(isCanonicalSignature(malleate(signature))).toBe(false)
  for (const fill of [0, 255]) expect(isCanonicalSignature(new Uint8Array(65).fill(fill))).toBe(false)
})
