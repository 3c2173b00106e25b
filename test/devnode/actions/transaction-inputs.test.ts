import { describe, expect, test } from 'vitest'
import { numeric } from '#streamnet/codec/value.ts'
import { generateStreamId } from '#streamnet/ids.ts'
import { keys, startTestNode } from '../../support/devnode.ts'

const me = keys.owner.address
const [a, b, c] = [generateStreamId('a'), generateStreamId('b'), generateStreamId('c')]
const ids = [a, b, c].sort()

function nodeWithTree() {
  const node = startTestNode()
  const created = node.must(keys.owner, 'create_streams', [a, b, c], ['primitive', 'primitive', 'composed'])
  return { node, created }
}

describe('get_transaction_streams', () => {
  test('lists what a transaction created, by stream id, with 0x or without', () => {
    const { node, created } = nodeWithTree()
    const rows = ids.map((id) => [id, me, id === c ? 'composed' : 'primitive', 2n])
    expect(node.view('get_transaction_streams', [created.hash])).toEqual(rows)
    expect(node.view('get_transaction_streams', [`0x${created.hash.toUpperCase()}`])).toEqual(rows)
  })

  test('leaves out what was deleted, and a stream of the same name that was created later', () => {
    const { node, created } = nodeWithTree()
    node.must(keys.owner, 'delete_stream', me, a)
    node.must(keys.owner, 'create_stream', a, 'primitive')
    expect(node.view('get_transaction_streams', [created.hash]).map(([id]) => id)).toEqual([b, c].sort())
  })

  test('of a transaction that only named a stream, that failed, or that is unknown lists nothing', () => {
    const { node } = nodeWithTree()
    const inserted = node.must(keys.owner, 'insert_record', me, a, 1, numeric('5'))
    const failed = node.execute(keys.stranger, 'create_stream', [a, 'primitive'])
    expect(failed.code).not.toBe(0)
    for (const hash of [inserted.hash, failed.hash, 'f'.repeat(64), 'no hash', '../account']) {
      expect(node.view('get_transaction_streams', [hash])).toEqual([])
    }
  })
})

describe('get_transaction_records', () => {
  test('lists the records of every call by provider, stream and time, corrected later or not', () => {
    const { node } = nodeWithTree()
    const one = (id: string, time: number, value: string) => [[me], [id], [time], numeric([value])]
    const { hash, code } = node.execute(
      keys.owner,
      'insert_records',
      one(b, 20, '2.5'),
      one(a, 7, '1'),
      one(b, 10, '4'),
    )
    expect(code).toBe(0)
    node.must(keys.owner, 'insert_record', me, b, 10, numeric('9'))
    const rows = [
      [me, a, 7n, '1.000000000000000000', 3n],
      [me, b, 10n, '4.000000000000000000', 3n],
      [me, b, 20n, '2.500000000000000000', 3n],
    ]
    rows.sort((left, right) => (String(left[1]) < String(right[1]) ? -1 : 1))
    expect(node.view('get_transaction_records', [hash])).toEqual(rows)
  })

  test('leaves out a zero that was dropped and lists one that was kept', () => {
    const { node } = nodeWithTree()
    const insert = () => node.must(keys.owner, 'insert_records', [me, me], [a, a], [1, 2], numeric(['0', '3'])).hash
    const times = (hash: string) => node.view('get_transaction_records', [hash]).map((row) => row[2])
    const before = insert()
    node.must(keys.owner, 'set_allow_zeros', me, a, true)
    expect(times(insert())).toEqual([1n, 2n])
    expect(times(before)).toEqual([2n])
  })

  test('returns both transactions of one block that wrote the same time', () => {
    const { node } = nodeWithTree()
    const valuesOf = (hash: string) => node.view('get_transaction_records', [hash]).map((row) => row[3])
    node.rpc('dev.setAutomine', { enabled: false })
    const first = node.execute(keys.owner, 'insert_record', [me, a, 1, numeric('5')]).hash
    const second = node.execute(keys.owner, 'insert_record', [me, a, 1, numeric('6')]).hash
    expect(node.view('get_transaction_records', [first])).toEqual([])
    node.rpc('dev.mine')
    expect(valuesOf(first)).toEqual(['5.000000000000000000'])
    expect(valuesOf(second)).toEqual(['6.000000000000000000'])
  })
})

describe('get_transaction_taxonomies', () => {
  test('lists the children of a transaction by group and stream id, disabled ones too', () => {
    const { node } = nodeWithTree()
    const set = (...weights: string[]) =>
      node.must(keys.owner, 'insert_taxonomy', me, c, [me, me], [a, b], numeric(weights), 5).hash
    const first = set('1', '2')
    set('3', '4')
    node.must(keys.owner, 'disable_taxonomy', me, c, 1)
    expect(node.view('get_transaction_taxonomies', [first])).toEqual(
      [a, b]
        .map((id, at) => [me, c, me, id, `${at + 1}.000000000000000000`, 5n, 1n, 3n])
        .sort((left, right) => (String(left[3]) < String(right[3]) ? -1 : 1)),
    )
  })
})

describe('get_transaction_metadata', () => {
  test('lists the rows of a transaction by key, those of a new stream and those that were disabled too', () => {
    const { node, created } = nodeWithTree()
    const { hash } = node.must(keys.owner, 'insert_metadata', me, a, 'default_base_time', '7', 'int')
    expect(node.view('get_transaction_metadata', [hash])).toEqual([
      [me, a, 'default_base_time', 7n, null, null, null, null, 3n],
    ])
    const row = node.view('get_metadata', [me, a, 'default_base_time', null, 1, null, null])[0]?.[0]
    node.must(keys.owner, 'disable_metadata', me, a, { type: uuidType, value: String(row) })
    expect(node.view('get_transaction_metadata', [hash])).toHaveLength(1)
    const keysOfA = node.view('get_transaction_metadata', [created.hash]).filter((one) => one[1] === a)
    expect(keysOfA.map((one) => one[2])).toEqual([
      'read_visibility',
      'readonly_key',
      'readonly_key',
      'stream_owner',
      'type',
    ])
  })
})

const uuidType = { name: 'uuid', isArray: false, precision: 0, scale: 0 } as const

describe('every one of them', () => {
  for (const what of ['streams', 'records', 'taxonomies', 'metadata']) {
    test(`get_transaction_${what} asks for a transaction`, () => {
      const { node } = nodeWithTree()
      for (const id of ['', '  ']) {
        expect(node.call(`get_transaction_${what}`, [id]).error).toBe('tx_id is required')
      }
      expect(node.view(`get_transaction_${what}`, [null])).toEqual([])
    })
  }
})

test('a transaction whose body has been pruned has no input to list', () => {
  const node = startTestNode({ keptBodyBytes: 1_000 })
  const { hash } = node.must(keys.owner, 'create_stream', a, 'primitive')
  for (let time = 1; time <= 3; time++) node.must(keys.owner, 'insert_record', me, a, time, numeric('1'))
  for (const kind of ['streams', 'records', 'taxonomies', 'metadata']) {
    expect(node.view(`get_transaction_${kind}`, [hash])).toEqual([])
  }
})
