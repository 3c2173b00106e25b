import { describe, expect, test } from 'vitest'
import { prettySize } from '#devnode/actions/size.ts'
import { numeric } from '#streamnet/codec/value.ts'
import { generateStreamId } from '#streamnet/ids.ts'
import { keys, startTestNode } from '../../support/devnode.ts'

describe('get_database_size', () => {
  test('and its second version return the size of the store, and grow with it', () => {
    const node = startTestNode()
    const size = () => Number(node.view('get_database_size', [])[0]?.[0])
    const before = size()
    expect(node.view('get_database_size_v2', [])).toEqual([[BigInt(before)]])
    expect(node.view('get_database_size_v2_pretty', [])).toEqual([[prettySize(before)]])
    const streamId = generateStreamId('size')
    node.must(keys.owner, 'create_stream', streamId, 'primitive')
    node.must(keys.owner, 'insert_record', keys.owner.address, streamId, 1, numeric('1'))
    expect(size()).toBeGreaterThan(before)
  })
})

describe('prettySize()', () => {
  const cases: readonly (readonly [bytes: number, text: string])[] = [
    [0, '0 bytes'],
    [10_239, '10239 bytes'],
    [10_240, '10 kB'],
    [10 * 1024 * 1024 - 513, '10239 kB'],
    [10 * 1024 * 1024 - 512, '10 MB'],
    [25_000_000_000, '23 GB'],
    [2 ** 45, '32 TB'],
  ]
  for (const [bytes, text] of cases) {
    test(`of ${bytes} is ${text}`, () => {
      expect(prettySize(bytes)).toBe(text)
    })
  }
})
