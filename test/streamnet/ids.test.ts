import { describe, expect, test } from 'vitest'
import { isStreamNetError } from '#streamnet/errors.ts'
import {
  addressFromBytes,
  addressToBytes,
  generateStreamId,
  isStreamId,
  parseAddress,
  parseStreamId,
  parseTxHash,
  toChecksumAddress,
} from '#streamnet/ids.ts'
import { createSigner } from '#streamnet/signing/signer.ts'
import { vectorsOf } from '../support/streams-vectors.ts'

type StreamIdInput = { readonly name: string } | { readonly stream_id: string }

for (const { id, input, expected } of vectorsOf<StreamIdInput, string | { valid: boolean }>('stream_id')) {
  test(`ids follow vector ${id}`, () => {
    if ('name' in input) expect(generateStreamId(input.name)).toBe(expected)
    else expect({ valid: isStreamId(input.stream_id) }).toEqual(expected)
  })
}

for (const { id, input, expected } of vectorsOf<{ private_key: string }, { checksum: string; sender_hex: string }>(
  'address',
)) {
  test(`createSigner() and toChecksumAddress() follow vector ${id}`, () => {
    const { address } = createSigner(input.private_key)
    expect(toChecksumAddress(address)).toBe(expected.checksum)
    expect(address).toBe(`0x${expected.sender_hex}`)
    expect(createSigner(`0x${input.private_key.toUpperCase()}`).address).toBe(address)
    expect(parseAddress(expected.checksum)).toBe(address)
    expect(addressFromBytes(addressToBytes(address))).toBe(address)
  })
}

const refusal = (act: () => unknown): string => {
  try {
    act()
  } catch (error) {
    if (isStreamNetError(error, 'invalid_argument')) return error.message
    throw error
  }
  throw new Error('nothing was refused')
}

describe('parseAddress()', () => {
  const checksum = '0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf'

  test('takes one case without asking for a checksum, with and without 0x', () => {
    for (const text of [checksum.toLowerCase(), `0x${checksum.slice(2).toUpperCase()}`, checksum.slice(2)]) {
      expect(parseAddress(text)).toBe(checksum.toLowerCase())
    }
  })

  test('refuses a wrong checksum and says the right one', () => {
    expect(refusal(() => parseAddress(checksum.replace('E5F', 'e5F')))).toContain(`expected ${checksum}`)
  })

  test.each(['', '0x', '0x12', `${checksum}00`, checksum.replace('7', 'g'), ' '.repeat(42)])('refuses %j', (text) => {
    expect(refusal(() => parseAddress(text, 'recipient'))).toContain('recipient is')
  })

  test('does not repeat a private key given by mistake', () => {
    const key = `0x${'1'.repeat(64)}`
    expect(refusal(() => parseAddress(key))).not.toContain('1111')
    expect(refusal(() => parseStreamId(key))).not.toContain('1111')
    expect(refusal(() => parseTxHash(`${key}1`))).not.toContain('1111')
  })
})

test('parseStreamId() says whether length or form is wrong', () => {
  expect(refusal(() => parseStreamId('short'))).toContain('stream_id must be exactly 32 characters')
  expect(refusal(() => parseStreamId(`ST${'0'.repeat(30)}`))).toContain('Invalid stream_id format')
})

test('parseTxHash() takes both forms and answers the node’s', () => {
  const hash = 'ab'.repeat(32)
  expect(parseTxHash(`0x${hash.toUpperCase()}`)).toBe(hash)
  expect(parseTxHash(hash)).toBe(hash)
  expect(refusal(() => parseTxHash('ab'))).toContain('expected 64 hex digits')
})
