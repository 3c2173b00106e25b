import { describe, expect, test } from 'vitest'
import { profiles } from '../../../src/devnode/profiles.ts'
import { numeric } from '../../../src/streamnet/codec/value.ts'
import { generateStreamId } from '../../../src/streamnet/ids.ts'
import { keys, startTestNode, type TestNode } from '../../support/devnode.ts'

const me = keys.owner.address
const [a, c] = [generateStreamId('a'), generateStreamId('c')]

function nodeWithStreams(): TestNode {
  const node = startTestNode()
  node.must(keys.owner, 'create_streams', [a, c], ['primitive', 'composed'])
  node.must(keys.owner, 'insert_taxonomy', me, c, [me], [a], numeric(['1']), 0)
  return node
}

const insert = (node: TestNode, time: number, value: string) =>
  node.must(keys.owner, 'insert_record', me, a, time, numeric(value))

describe('get_daily_ohlc', () => {
  const pricesOf = (node: TestNode, day: number | null) => {
    const ref = node.view('get_stream_id', [me, a])[0]?.[0] as bigint
    return node.view('get_daily_ohlc', [ref, day])[0]?.map((price) => (price === null ? null : Number(price)))
  }

  test('gives the first, highest, lowest and last value of a day, its first second included', () => {
    const node = nodeWithStreams()
    insert(node, 86_399, '100')
    for (const [at, value] of ['5', '9', '-2', '7'].entries()) insert(node, 86_400 + at * 100, value)
    insert(node, 2 * 86_400, '100')
    expect(pricesOf(node, 1)).toEqual([5, 9, -2, 7])
    expect(pricesOf(node, 0)).toEqual([100, 100, 100, 100])
  })

  test('opens and closes with what was corrected last, and counts every version as a price', () => {
    const node = nodeWithStreams()
    insert(node, 10, '50')
    insert(node, 10, '5')
    insert(node, 20, '6')
    insert(node, 20, '7')
    expect(pricesOf(node, 0)).toEqual([5, 50, 5, 7])
  })

  test('of a day without values, and of no day, is a row of nulls', () => {
    const node = nodeWithStreams()
    expect(pricesOf(node, 3)).toEqual([null, null, null, null])
    expect(pricesOf(node, null)).toEqual([null, null, null, null])
    expect(node.view('get_daily_ohlc', [999, 0])).toEqual([[null, null, null, null]])
  })
})

describe('get_index_primitive', () => {
  test('gives the index of a primitive stream, and nothing of a composed one', () => {
    const node = nodeWithStreams()
    insert(node, 1, '4')
    insert(node, 2, '5')
    for (const prefix of ['', 'truflation_']) {
      const read = (stream: string) =>
        node.view(`${prefix}get_index_primitive`, [me, stream, 1, 2, null, null])
      expect(read(a)).toEqual(node.view('get_index', [me, a, 1, 2, null, null]))
      expect(read(c)).toEqual([])
    }
  })

  test('is refused to whom the stream is closed', () => {
    const node = nodeWithStreams()
    node.must(keys.owner, 'insert_metadata', me, a, 'read_visibility', '1', 'int')
    expect(() => node.view('get_index_primitive', [me, a, 1, 2, null, null])).toThrow(
      'Not allowed to read stream',
    )
  })
})

describe('truflation_get_record_composed', () => {
  test('gives the values of a composed stream, and none of a primitive one', () => {
    const node = nodeWithStreams()
    insert(node, 1, '4')
    const read = (stream: string) => node.view('truflation_get_record_composed', [me, stream, 1, 2, null])
    expect(read(c)).toEqual([[1n, '4.000000000000000000']])
    expect(read(a)).toEqual([])
  })

  test('of a stream that does not exist checks the range first and then breaks, on the network of today', () => {
    const node = startTestNode({ profile: profiles.head })
    const none = `st${'0'.repeat(30)}`
    const read = (stream: string | null, from: number | null, to: number | null) =>
      node.view('truflation_get_record_composed', [me, stream, from, to, null])
    expect(() => read(none, 2, 1)).toThrow('Invalid time range: from (2) > to (1)')
    expect(() => read(none, 1, 2)).toThrow('-300 type error: expected text, got int8')
    expect(() => read(null, null, null)).toThrow('-300 type error: expected text, got int8')
  })
})
