import { describe, expect, test } from 'vitest'
import { findStreamIdFault } from '#devnode/actions/stream-creation.ts'
import { dataType, nullValue, numeric, uuid } from '#streamnet/codec/value.ts'
import { generateStreamId } from '#streamnet/ids.ts'
import type { ActionArg } from '#streamnet/types.ts'
import { keys, startTestNode } from '../../support/devnode.ts'

const me = keys.owner.address
const [a, b, c] = [generateStreamId('a'), generateStreamId('b'), generateStreamId('c')]

function nodeWithTree() {
  const node = startTestNode()
  node.must(keys.owner, 'create_streams', [a, b, c], ['primitive', 'primitive', 'composed'])
  node.must(keys.owner, 'insert_taxonomy', me, c, [me, me], [a, b], numeric(['1', '1']), 0)
  for (const stream of [a, b]) node.must(keys.owner, 'insert_record', me, stream, 1, numeric('5'))
  return node
}

describe('findStreamIdFault()', () => {
  const cases: readonly (readonly [id: string, fault: string])[] = [
    [`st${'a1'.repeat(15)}`, ''],
    ['st1', 'Invalid length (must be 32 characters)'],
    [`xx${'a'.repeat(30)}`, 'Must start with "st"'],
    [`st${'A'.repeat(30)}`, 'Characters 3-32 must be lowercase alphanumeric'],
    [`st${'-'.repeat(30)}`, 'Characters 3-32 must be lowercase alphanumeric'],
  ]
  for (const [id, fault] of cases) {
    test(`of "${id}" is "${fault}"`, () => {
      expect(findStreamIdFault(id)).toBe(fault)
    })
  }
})

describe('create_streams', () => {
  test('writes the metadata of a new stream, with row ids that every replay makes again', () => {
    const rows = [nodeWithTree(), nodeWithTree()].map((node) =>
      node.view('get_metadata', [me, a, 'stream_owner', null, 1, null, 'created_at DESC']),
    )
    expect(rows[0]).toEqual(rows[1])
    expect(rows[0]?.[0]?.[0]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(rows[0]?.[0]?.slice(5)).toEqual([me, 2n])
  })

  const refusals: readonly (readonly [args: readonly ActionArg[], text: string])[] = [
    [[[`st${'x'.repeat(30)}`], ['other']], 'Invalid stream type at position 1: other'],
    [[[`st${'x'.repeat(30)}`], ['primitive', 'composed']], 'must have the same length'],
    [[[`st${'x'.repeat(30)}`], ['primitive'], [true, false]], 'allow_zeros array length must match stream_ids'],
    [
      [
        [a, a],
        ['primitive', 'primitive'],
      ],
      'SQLSTATE 23505',
    ],
    [[{ type: dataType('text', true), value: [] }, ['primitive']], 'Stream IDs array must be non-empty'],
  ]
  for (const [args, text] of refusals) {
    test(`refuses with "${text}"`, () => {
      const answer = startTestNode().execute(keys.owner, 'create_streams', args)
      expect(answer.log).toContain(text)
    })
  }
})

describe('delete_stream', () => {
  test('is for the owner only, and takes records and metadata with it', () => {
    const node = nodeWithTree()
    expect(node.execute(keys.stranger, 'delete_stream', [me, a]).log).toContain(
      'Only stream owner can delete the stream',
    )
    node.must(keys.owner, 'delete_stream', me, a)
    expect(node.execute(keys.owner, 'delete_stream', [me, a]).log).toContain('Stream does not exist')
    node.must(keys.owner, 'create_stream', a, 'primitive')
    expect(node.view('get_record', [me, a, null, null, null])).toEqual([])
  })

  test('of a child makes every read of its parents an error', () => {
    const node = nodeWithTree()
    expect(node.view('get_record', [me, c, 1, 2, null])).toHaveLength(1)
    node.must(keys.owner, 'delete_stream', me, a)
    expect(() => node.view('get_record', [me, c, 1, 2, null])).toThrow('Missing child streams for stream with id=')
  })
})

describe('ownership and metadata', () => {
  test('the owner may hand a stream over, and has no say afterwards', () => {
    const node = nodeWithTree()
    expect(node.execute(keys.owner, 'transfer_stream_ownership', [me, a, null]).log).toContain('Invalid new owner')
    node.must(keys.owner, 'transfer_stream_ownership', me, a, keys.stranger.address)
    expect(node.execute(keys.owner, 'insert_metadata', [me, a, 'note', 'x', 'string']).log).toContain(
      'Only stream owner',
    )
    node.must(keys.stranger, 'insert_record', me, a, 2, numeric('6'))
  })

  test('read-only keys, unknown types and values of the wrong type are refused', () => {
    const node = nodeWithTree()
    const logOf = (key: string, value: string, type: string) =>
      node.execute(keys.owner, 'insert_metadata', [me, a, key, value, type]).log
    expect(logOf('stream_owner', me, 'ref')).toContain('Cannot insert metadata for read-only key')
    expect(logOf('Allow_Zeros', 'true', 'bool')).toContain('use set_allow_zeros to modify allow_zeros')
    expect(logOf('note', 'x', 'constructor')).toContain('Unknown type used "constructor"')
    expect(logOf('note', 'x', 'int')).toContain('type cast error: strconv.ParseInt: parsing "x": invalid syntax')
    expect(logOf('note', '9223372036854775808', 'int')).toContain('value out of range')
    expect(logOf('note', '1e400', 'float')).toContain('type cast error: invalid operation')
    expect(node.view('get_metadata', [me, a, 'note', null, 10, null, null])).toEqual([])
  })

  test('keys and values of any text are kept, found, and disabled by their row', () => {
    const node = nodeWithTree()
    const key = 'ключ/with 100% "signs"\n'
    node.must(keys.owner, 'insert_metadata', me, a, key, 'значение', 'string')
    const [row] = node.view('get_metadata', [me, a, key, null, 10, null, null])
    expect(row?.[4]).toBe('значение')
    node.must(keys.owner, 'disable_metadata', me, a, uuid(String(row?.[0])))
    expect(node.view('get_metadata', [me, a, key, null, 10, null, null])).toEqual([])
    expect(node.execute(keys.owner, 'disable_metadata', [me, a, nullValue]).log).toContain('Metadata record not found')
  })

  test('another wallet writes once it is allowed to', () => {
    const node = nodeWithTree()
    const insert = () => node.execute(keys.stranger, 'insert_record', [me, a, 2, numeric('6')])
    expect(insert().log).toContain('wallet not allowed to write')
    node.must(keys.owner, 'insert_metadata', me, a, 'allow_write_wallet', keys.stranger.address, 'ref')
    expect(insert().code).toBe(0)
  })

  test('a private child asks for its parent: the same owner, or a parent it lists', () => {
    const node = nodeWithTree()
    node.must(keys.owner, 'insert_metadata', me, a, 'compose_visibility', '1', 'int')
    expect(node.view('get_record', [me, c, 1, 2, null])).toHaveLength(1)
    node.must(keys.owner, 'transfer_stream_ownership', me, a, keys.stranger.address)
    expect(() => node.view('get_record', [me, c, 1, 2, null])).toThrow('Not allowed to compose stream')
    node.must(keys.stranger, 'insert_metadata', me, a, 'allow_compose_stream', c, 'ref')
    expect(node.view('get_record', [me, c, 1, 2, null])).toHaveLength(1)
  })
})

describe('get_stream_ids', () => {
  test('gives the number of each stream in the order asked, null for one that does not exist', () => {
    const node = nodeWithTree()
    const idOf = (stream: string) => node.view('get_stream_id', [me, stream])[0]?.[0]
    const asked = ['stnone', b, a, b]
    expect(node.view('get_stream_ids', [asked.map(() => me.toUpperCase().replace('0X', '0x')), asked])).toEqual([
      [[null, idOf(b), idOf(a), idOf(b)]],
    ])
    expect(() => node.view('get_stream_ids', [[me], [a, b]])).toThrow(
      'array lengths mismatch: data_providers=1, stream_ids=2',
    )
  })
})

describe('validate_streams_for_write', () => {
  test('returns for a list of streams whether each exists, is primitive and may be written', () => {
    const node = nodeWithTree()
    const facts = (ids: readonly string[], wallet: string) =>
      node.view('validate_streams_for_write', [ids.map(() => me), ids, wallet])[0]?.slice(1)
    expect(facts([a, b], me)).toEqual([true, true, true])
    expect(facts([a, c], me)).toEqual([true, false, true])
    expect(facts([a, 'stnone'], me)).toEqual([false, true, true])
    expect(facts([a, b], keys.stranger.address)).toEqual([true, true, false])
    node.must(keys.owner, 'insert_metadata', me, a, 'allow_write_wallet', keys.stranger.address, 'ref')
    expect(facts([a], keys.stranger.address.toUpperCase().replace('0X', '0x'))).toEqual([true, true, true])
  })
})

test('create_data_provider takes an address of any case, and says which column is null', () => {
  const node = startTestNode()
  const create = (address: string | null) => node.execute(keys.owner, 'create_data_provider', [address]).log
  expect(create(keys.stranger.address.toUpperCase().replace('X', 'x'))).toBe('')
  expect(create('0xAB')).toBe('ERROR: Invalid data provider address. Must be a valid Ethereum address: 0xab')
  expect(create(null)).toBe(
    'ERROR: null value in column "address" of relation "data_providers" violates not-null constraint (SQLSTATE 23502)',
  )
})
