import { sha256 } from '@noble/hashes/sha2.js'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeHex, encodeHex } from '#base/hex.ts'
import { parseAttestationPayload, parseAttestedResult, verifyAttestationSignature } from '#streamnet/attestation.ts'
import { decodeDataPoints, encodeBoolean, encodeDataPoints } from '#streamnet/codec/abi.ts'
import { attestedActionId, decodeAttestation, encodeAnswer, isBinaryAction } from '#streamnet/codec/attestation.ts'
import { isStreamNetError } from '#streamnet/errors.ts'
import { addressToBytes } from '#streamnet/ids.ts'
import { marketActions } from '#streamnet/market-question.ts'
import { createSigner } from '#streamnet/signing/signer.ts'
import { vectorsOf } from '../support/streams-vectors.ts'
import { sweep } from '../support/sweep.ts'

interface Input {
  readonly payload_hex?: string
  readonly result_abi_hex?: string
  readonly validator_private_key?: string
  readonly append?: string
}

interface Expected {
  readonly error_contains?: string
  readonly digest?: string
  readonly signature_hex?: string
  readonly full_hex?: string
  readonly validator?: string
  readonly result?: unknown
}

test('isBinaryAction() is true for the four actions that markets ask, and for no other', () => {
  const asked = Object.keys(marketActions).map((action) => attestedActionId(action))
  const binary = Array.from({ length: 13 }, (_, id) => id).filter(isBinaryAction)
  expect(binary).toEqual(asked)
})

const vectors = vectorsOf<Input, Expected>('attestation')
const snake = (record: object) =>
  Object.fromEntries(
    Object.entries(record).map(([key, value]) => [key.replace(/[A-Z]/g, (c) => `_${c.toLowerCase()}`), value]),
  )
const minimal = vectors[0]?.input.payload_hex ?? ''

for (const { id, input, expected } of vectors) {
  test(`attestations follow vector ${id}`, async () => {
    if (input.validator_private_key !== undefined) {
      const digest = sha256(decodeHex(input.payload_hex ?? ''))
      expect(encodeHex(digest)).toBe(expected.digest)
      const signature = await createSigner(input.validator_private_key).signDigest(digest)
      expect(encodeHex(signature).slice(0, 128)).toBe(expected.signature_hex?.slice(0, 128))
      const verified = verifyAttestationSignature(decodeHex(expected.full_hex ?? ''))
      expect(verified.validatorAddress).toBe(expected.validator)
      expect(encodeHex(verified.canonicalPayload)).toBe(input.payload_hex)
      expect(encodeHex(verified.signature)).toBe(expected.signature_hex)
    } else if (input.payload_hex === undefined && input.result_abi_hex !== undefined) {
      expect(parseAttestedResult(1, decodeHex(input.result_abi_hex))).toEqual(expected.result)
    } else {
      const bytes = decodeHex((input.payload_hex ?? minimal) + (input.append ?? ''))
      if (expected.error_contains) expect(() => parseAttestationPayload(bytes)).toThrow(expected.error_contains)
      else expect(snake(parseAttestationPayload(bytes))).toMatchObject(expected)
      if (expected.error_contains === undefined) {
        const { blockHeight, dataProvider, result, ...question } = decodeAttestation(bytes)
        const again = encodeAnswer({ ...question, dataProvider: addressToBytes(dataProvider) }, blockHeight, result)
        expect(encodeHex(again)).toBe(input.payload_hex)
      }
    }
  })
}

test('verifyAttestationSignature() names another signer when one byte changes', () => {
  const full = decodeHex(vectors.find(({ expected }) => expected.full_hex)?.expected.full_hex ?? '')
  const before = verifyAttestationSignature(full).validatorAddress
  full[10] = (full[10] ?? 0) ^ 1
  expect(verifyAttestationSignature(full).validatorAddress).not.toBe(before)
  expect(() => verifyAttestationSignature(new Uint8Array(65))).toThrow('Payload too short: 65 bytes')
})

test('parseAttestationPayload() refuses what is not bytes', () => {
  expect(() => parseAttestationPayload('01' as unknown as Uint8Array)).toThrow('Payload must be bytes, got string')
  expect(() => parseAttestationPayload(new Uint8Array())).toThrow('Payload cannot be empty')
})

test('decodeAttestation() takes a stream id of 32 bytes at most, and a provider of 20', () => {
  const question = (provider: number, streamId: number) => ({
    dataProvider: new Uint8Array(provider),
    streamId: new Uint8Array(streamId),
    actionId: 1,
    args: new Uint8Array(),
  })
  const decode = (provider: number, streamId: number) =>
    decodeAttestation(encodeAnswer(question(provider, streamId), 7, new Uint8Array()))
  expect(decode(20, 32).streamId).toHaveLength(32)
  for (const [provider, streamId] of [
    [20, 33],
    [19, 32],
    [21, 32],
  ] as const)
    expect(() => decode(provider, streamId)).toThrow(expect.objectContaining({ code: 'malformed_bytes' }))
})

test('parseAttestationPayload() answers damaged bytes with a value or malformed_bytes', () => {
  const whole = decodeHex(vectors[1]?.input.payload_hex ?? '')
  fc.assert(
    fc.property(fc.nat(whole.length), fc.nat(255), fc.nat(3), (at, byte, cut) => {
      const bytes = whole.slice(0, whole.length - cut)
      bytes[at] = byte
      try {
        parseAttestationPayload(bytes)
      } catch (error) {
        expect(isStreamNetError(error, 'malformed_bytes')).toBe(true)
      }
    }),
    { seed: 5, numRuns: sweep(1000) },
  )
})

test('decodeDataPoints() undoes encodeDataPoints()', () => {
  const time = fc.bigInt({ min: 0n, max: 2n ** 255n })
  const value = fc.bigInt({ min: -(2n ** 255n), max: 2n ** 255n - 1n })
  fc.assert(
    fc.property(fc.array(fc.tuple(time, value), { maxLength: 20 }), (points) => {
      expect(decodeDataPoints(encodeDataPoints(points))).toEqual(points)
    }),
    { seed: 5 },
  )
  expect(parseAttestedResult(8, encodeBoolean(false))).toEqual([{ values: [false] }])
})

test('decodeDataPoints() refuses a count that would allocate gigabytes', () => {
  const bytes = encodeDataPoints([])
  bytes.fill(255, 92, 96)
  expect(() => decodeDataPoints(bytes)).toThrow('expected at most 100000')
})

test('an attestation that was asked for too early has no row: the result of a real node is two empty lists', () => {
  const unanswered = encodeDataPoints([])
  expect(unanswered).toHaveLength(128)
  for (const actionId of [1, 6, 7, 8, 9]) expect(parseAttestedResult(actionId, unanswered)).toEqual([])
  expect(parseAttestedResult(6, encodeBoolean(false))).toEqual([{ values: [false] }])
  for (const damaged of [unanswered.subarray(0, 127), encodeDataPoints([[1n, 2n]])]) {
    expect(() => parseAttestedResult(6, damaged)).toThrow(expect.objectContaining({ code: 'malformed_bytes' }))
  }
})
