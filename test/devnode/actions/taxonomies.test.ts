import { describe, expect, test } from 'vitest'
import { numeric } from '#streamnet/codec/value.ts'
import { generateStreamId } from '#streamnet/ids.ts'
import { keys, startTestNode, type TestNode } from '../../support/devnode.ts'

const me = keys.owner.address
const [a, b, c] = [generateStreamId('a'), generateStreamId('b'), generateStreamId('c')]

function compose(node: TestNode, children: Readonly<Record<string, string>>, startDate: number | null = 0) {
  const ids = Object.keys(children)
  return node.must(
    keys.owner,
    'insert_taxonomy',
    me,
    c,
    ids.map(() => me.toUpperCase().replace('X', 'x')),
    ids,
    numeric(Object.values(children)),
    startDate,
  )
}

function nodeWithStreams(): TestNode {
  const node = startTestNode()
  node.must(keys.owner, 'create_streams', [a, b, c], ['primitive', 'primitive', 'composed'])
  return node
}

const weightsOf = (rows: readonly (readonly unknown[])[]) => rows.map((row) => [row[3], row[4], row[6]])

describe('taxonomies', () => {
  test('count their groups, disabled ones too, and describe the highest that is not', () => {
    const node = nodeWithStreams()
    compose(node, { [a]: '1' })
    compose(node, { [a]: '0.25', [b]: '0.75' }, null)
    const latest = () => weightsOf(node.view('describe_taxonomies', [me, c, true]))
    expect(latest()).toEqual([
      [a, '0.250000000000000000', 2n],
      [b, '0.750000000000000000', 2n],
    ])
    expect(node.view('describe_taxonomies', [me, c, false])).toHaveLength(3)
    node.must(keys.owner, 'disable_taxonomy', me, c, 2)
    expect(latest()).toEqual([[a, '1.000000000000000000', 1n]])
    compose(node, { [b]: '1' })
    expect(latest()).toEqual([[b, '1.000000000000000000', 3n]])
  })

  test('are inserted once with the same children in a transaction, whose hash is a part of their ids', () => {
    const node = nodeWithStreams()
    const call = (...ids: readonly string[]) => [me, c, ids.map(() => me), ids, numeric(ids.map(() => '1')), 0] as const
    const insert = (...calls: ReturnType<typeof call>[]) => node.execute(keys.owner, 'insert_taxonomy', ...calls).log
    const twice = 'ERROR: duplicate key value violates unique constraint "taxonomies_pkey" (SQLSTATE 23505)'
    expect(insert(call(a), call(a))).toBe(twice)
    expect(insert(call(a, b), call(b), call(a))).toBe(twice)
    expect(insert(call(a, b), call(b, a))).toBe('')
    expect(insert(call(a))).toBe('')
  })

  test('of one block are listed by their names when only the latest are asked for', () => {
    const node = nodeWithStreams()
    const children = [a, b].sort().reverse()
    compose(node, Object.fromEntries(children.map((child) => [child, '1'])))
    const listed = node.view('list_taxonomies_by_height', [null, null, null, null, true])
    expect(listed.map((row) => row[3])).toEqual([a, b].sort())
  })

  test('change the series from their start date on', () => {
    const node = nodeWithStreams()
    const values = { [a]: '10', [b]: '20' }
    for (const [stream, value] of Object.entries(values)) {
      for (const time of [1, 5, 10]) node.must(keys.owner, 'insert_record', me, stream, time, numeric(value))
    }
    compose(node, { [a]: '1' })
    compose(node, { [b]: '1' }, 5)
    const series = node.view('get_record', [me, c, 1, 10, null])
    expect(series.map(([time, value]) => [time, Number(value)])).toEqual([
      [1n, 10],
      [5n, 20],
      [10n, 20],
    ])
  })

  test('are listed by height and by stream, all of them or the newest of each', () => {
    const node = nodeWithStreams()
    compose(node, { [a]: '1' })
    compose(node, { [b]: '1' })
    expect(node.view('list_taxonomies_by_height', [null, null, null, null, false])).toHaveLength(2)
    expect(node.view('list_taxonomies_by_height', [3, 3, null, null, false])).toHaveLength(1)
    expect(weightsOf(node.view('list_taxonomies_by_height', [0, null, null, null, true]))).toEqual([
      [b, '1.000000000000000000', 2n],
    ])
    expect(node.view('get_taxonomies_for_streams', [[me], [c], true])).toHaveLength(1)
    expect(() => node.view('list_taxonomies_by_height', [9, 1, null, null, false])).toThrow('Invalid height range')
  })

  test('are only for composed streams and their writers', () => {
    const node = nodeWithStreams()
    const insert = (signer: typeof keys.owner, parent: string) =>
      node.execute(signer, 'insert_taxonomy', [me, parent, [me], [b], numeric(['1']), 0]).log
    expect(insert(keys.owner, a)).toContain('stream is not a composed stream')
    expect(insert(keys.stranger, c)).toContain('wallet not allowed to write')
    expect(insert(keys.owner, generateStreamId('nobody'))).toContain('Stream does not exist')
    const unequal = node.execute(keys.owner, 'insert_taxonomy', [me, c, [me], [a, b], numeric(['1']), 0])
    expect(unequal.log).toContain('All child arrays must be of the same length')
    const early = node.execute(keys.owner, 'insert_taxonomy', [me, c, [me], [a], numeric(['1']), -1])
    expect(early.log).toContain('SQLSTATE 23514')
  })
})

describe('get_category_streams', () => {
  const named = (rows: readonly (readonly unknown[])[]) => rows.map(([, stream]) => stream)

  test('returns the stream itself and all streams below it that are in force in the window', () => {
    const node = nodeWithStreams()
    compose(node, { [a]: '1' })
    compose(node, { [b]: '1' }, 100)
    const below = (from: number | null, to: number | null) =>
      named(node.view('get_category_streams', [me, c, from, to]))
    expect(below(0, 99)).toEqual([c, a])
    expect(below(100, null)).toEqual([c, b])
    expect(new Set(below(null, null))).toEqual(new Set([a, b, c]))
    expect(named(node.view('get_category_streams', [me, a, null, null]))).toEqual([a])
    expect(() => node.view('get_category_streams', [me, 'stnone', null, null])).toThrow('Stream does not exist')
  })

  test('leaves out a child that was deleted, where a read of the series is refused', () => {
    const node = nodeWithStreams()
    compose(node, { [a]: '1', [b]: '1' })
    node.must(keys.owner, 'delete_stream', me, a)
    expect(named(node.view('get_category_streams', [me, c, null, null]))).toEqual([c, b])
  })
})
