import { describe, expect, test } from 'vitest'
import { encodeHex } from '#base/hex.ts'
import { createClient } from '#streamnet/client.ts'
import { getMarketDepth } from '#streamnet/operations/order-book.ts'
import { decodeCell } from '#streamnet/rpc/cell.ts'
import { createLoopbackNode } from '../../support/loopback-node.ts'
import { vectorsOf } from '../../support/streams-vectors.ts'

describe('cells', () => {
  for (const { id, input, expected } of vectorsOf<{ cell: string }, { hex: string }>('bytes_column')) {
    test(`follow vector ${id}`, () => {
      const cell = decodeCell(input.cell, { name: 'bytea', is_array: false, metadata: null })
      expect(encodeHex(cell as Uint8Array)).toBe(expected.hex)
    })
  }

  test('keep 64-bit integers whole, and are refused where a number could not hold them', async () => {
    const column = { name: 'int8', is_array: false, metadata: null }
    expect(decodeCell('9223372036854775807', column)).toBe(9223372036854775807n)
    expect(decodeCell(['1', null], { ...column, is_array: true })).toEqual([1n, null])
    const node = createLoopbackNode()
    const client = createClient({ endpoint: node.endpoint, platform: node.platform })
    const rows = [[2n ** 60n, 1n, 2n]]
    node.answers.set('get_market_depth', { rows })
    await expect(getMarketDepth(client, { queryId: 1, outcome: true })).rejects.toMatchObject({
      code: 'malformed_response',
      message: expect.stringContaining('beyond 2^53'),
    })
  })

  test.each([
    ['int8', 'abc'],
    ['int8', 1.5],
    ['int8', '99999999999999999999'],
    ['bool', 'true'],
    ['bytea', 'not base64'],
    ['bytea', 5],
    ['numeric', 1.5],
    ['text', 5],
    ['json', '{}'],
  ])('of type %s refuse %j', (name, cell) => {
    expect(() => decodeCell(cell, { name, is_array: false, metadata: null })).toThrow(TypeError)
  })
})
