import { describe, expect, test } from 'vitest'
import { decodeHex, encodeHex } from '#base/hex.ts'
import { decodeAgentExecution, encodeAgentExecution } from '#streamnet/codec/agent-payload.ts'
import { toTypedValue } from '#streamnet/codec/value.ts'

/** The network's own golden payload: wallet of twenty 0x11, no argument. */
const golden = `000014000000${'11'.repeat(20)}040000006d61696e0e0000006f625f706c6163655f6f726465720000`
const call = { wallet: decodeHex('11'.repeat(20)), namespace: 'main', action: 'ob_place_order', args: [] }

test('encodeAgentExecution() writes the bytes of the network, decodeAgentExecution() reads them', () => {
  expect(encodeHex(encodeAgentExecution(call))).toBe(golden)
  const filled = { ...call, args: [1, true, null, 'x', ['a']].map(toTypedValue) }
  expect(decodeAgentExecution(encodeAgentExecution(filled))).toEqual(filled)
})

describe('decodeAgentExecution()', () => {
  const bytes = decodeHex(golden)

  test('ignores bytes after the end, as the network does', () => {
    expect(decodeAgentExecution(Uint8Array.from([...bytes, 255, 255]))).toEqual(call)
  })

  test.each([
    [1, 'unexpected EOF'],
    [2, 'EOF'],
    [3, 'encoded length 14 is longer than data length 13'],
    [bytes.length, 'EOF'],
  ])('says of %i bytes that are missing: %s', (cut, message) => {
    expect(() => decodeAgentExecution(bytes.subarray(0, bytes.length - cut))).toThrow(message)
  })

  test('refuses another version, and a count of arguments that are not there', () => {
    expect(() => decodeAgentExecution(Uint8Array.from([3, 0, ...bytes.subarray(2)]))).toThrow('unsupported version 3')
    expect(() => decodeAgentExecution(Uint8Array.from([...bytes.subarray(0, -2), 255, 255]))).toThrow('EOF')
  })
})
