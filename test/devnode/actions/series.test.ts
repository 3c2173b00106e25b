import { describe, expect, test } from 'vitest'
import { profiles } from '#devnode/profiles.ts'
import { numeric } from '#streamnet/codec/value.ts'
import { generateStreamId } from '#streamnet/ids.ts'
import type { ActionArg } from '#streamnet/types.ts'
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
      const read = (stream: string) => node.view(`${prefix}get_index_primitive`, [me, stream, 1, 2, null, null])
      expect(read(a)).toEqual(node.view('get_index', [me, a, 1, 2, null, null]))
      expect(read(c)).toEqual([])
    }
  })

  test('refuses callers that may not read the stream', () => {
    const node = nodeWithStreams()
    node.must(keys.owner, 'insert_metadata', me, a, 'read_visibility', '1', 'int')
    expect(() => node.view('get_index_primitive', [me, a, 1, 2, null, null])).toThrow('Not allowed to read stream')
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

  test('does not take frozen_at for a height, refuses and overflows as the read with the old prefix does', () => {
    const node = nodeWithStreams()
    insert(node, 1, '4')
    insert(node, 2, '6')
    const read = (stream: string, ...args: ActionArg[]) =>
      node.view('truflation_get_record_composed', [me, stream, ...args])
    expect(read(c, 0, 100, 1)).toEqual([
      [1n, '4.000000000000000000'],
      [2n, '6.000000000000000000'],
    ])
    expect(() => read(a, 2, 1, 1)).toThrow('Invalid time range: from (2) > to (1)')
    insert(node, 3, `-9${'0'.repeat(17)}`)
    insert(node, 4, `9${'0'.repeat(17)}`)
    expect(() => read(c, 0, 100, 1)).toThrow('numeric field overflow')
    node.must(keys.owner, 'insert_metadata', me, a, 'read_visibility', '1', 'int')
    for (const stream of [a, c]) expect(() => read(stream, 0, 100, 1)).toThrow('Not allowed to read stream')
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

describe('reads with the prefix truflation_', () => {
  const seen = (rows: readonly (readonly unknown[])[]) => rows.map(([at, value]) => [at, Number(value)])

  test('an index needs a value: a composed stream without one has none to begin with', () => {
    const node = nodeWithStreams()
    const read = (action: string, ...args: ActionArg[]) => node.view(action, [me, c, ...args])
    expect(() => read('truflation_get_index', 0, 9, null, null)).toThrow('no base value found: no records in stream')
    expect(() => read('truflation_get_index', 0, 9, null, 5)).toThrow('no base value found')
    expect(read('truflation_get_index', null, null, null, null)).toEqual([])
    expect(read('get_index', 0, 9, null, null)).toEqual([])
  })

  test('an index of a composed stream without a base time counts from 1, with one from the value there', () => {
    const node = nodeWithStreams()
    insert(node, 1, '4')
    insert(node, 2, '6')
    const read = (action: string, base: number | null) => seen(node.view(action, [me, c, 1, 2, null, base]))
    expect(read('truflation_get_index', null)).toEqual([
      [1n, 400],
      [2n, 600],
    ])
    for (const action of ['truflation_get_index', 'get_index']) {
      expect(read(action, 1)).toEqual([
        [1n, 100],
        [2n, 150],
      ])
    }
  })

  test('the first record needs the right to compose where it is, the last one over all time before it', () => {
    const node = nodeWithStreams()
    const b = generateStreamId('b')
    node.must(keys.owner, 'create_streams', [b], ['composed'])
    node.rpc('dev.grantRole', { wallet: keys.stranger.address })
    node.must(keys.stranger, 'create_streams', [a], ['primitive'])
    node.must(keys.owner, 'insert_taxonomy', me, b, [me], [a], numeric(['1']), 0)
    const other = keys.stranger.address
    node.must(keys.owner, 'insert_taxonomy', me, b, [other], [a], numeric(['1']), 50)
    node.must(keys.stranger, 'insert_metadata', other, a, 'compose_visibility', '1', 'int')
    insert(node, 1, '4')
    const read = (action: string) => node.view(action, [me, b, null, null])
    expect(seen(read('truflation_get_first_record'))).toEqual([[1n, 4]])
    expect(() => read('get_first_record')).toThrow('Not allowed to compose stream')
    expect(seen(read('get_last_record'))).toEqual([[1n, 4]])
    expect(() => read('truflation_get_last_record')).toThrow('Not allowed to compose stream')
  })

  test('a record and an index go down one hundred levels', () => {
    const node = nodeWithStreams()
    insert(node, 1, '4')
    const chain = Array.from({ length: 12 }, (_, level) => generateStreamId(`level ${level}`))
    chain.forEach((parent, level) => {
      node.must(keys.owner, 'create_streams', [parent], ['composed'])
      node.must(keys.owner, 'insert_taxonomy', me, parent, [me], [chain[level - 1] ?? a], numeric(['2']), 0)
    })
    const top = chain.at(-1) ?? a
    expect(node.view('get_index', [me, top, 1, 2, null, 1])).toEqual([])
    expect(seen(node.view('truflation_get_index', [me, top, 1, 2, null, 1]))).toEqual([[1n, 100]])
  })
})

describe('get_index_change', () => {
  const change = (node: TestNode, interval: number | null) =>
    node.view('get_index_change', [me, a, 0, 100, null, null, interval, null])

  test('compares each value with the one an interval before, and refuses to read without an interval', () => {
    const node = nodeWithStreams()
    insert(node, 10, '50')
    insert(node, 20, '75')
    expect(change(node, 10)).toEqual([[20n, '50.000000000000000000']])
    expect(() => change(node, null)).toThrow('time_interval is required')
  })
})
