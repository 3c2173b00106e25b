import { describe, expect, test } from 'vitest'
import { hexOf } from '#devnode/agents/rule-terms.ts'
import { composedRecords } from '#devnode/queries/composed.ts'
import { createBudget } from '#devnode/queries/reader.ts'
import { addAgentEvent } from '#devnode/state/agent-events.ts'
import { addMetadata } from '#devnode/state/metadata.ts'
import { dataType, numeric } from '#streamnet/codec/value.ts'
import { generateStreamId } from '#streamnet/ids.ts'
import { keys, startTestNode, type TestNode } from '../support/devnode.ts'
import { sweep } from '../support/sweep.ts'
import { loadNetwork } from '../support/vector-network.ts'

const me = keys.owner.address
const id = (name: string) => generateStreamId(name)

function create(node: TestNode, ...streams: readonly (readonly [name: string, type: string])[]) {
  node.must(
    keys.owner,
    'create_streams',
    streams.map(([name]) => id(name)),
    streams.map(([, type]) => type),
  )
}

function compose(node: TestNode, parent: string, children: readonly string[], weight = '1') {
  const childIds = children.map(id)
  return node.execute(keys.owner, 'insert_taxonomy', [
    me,
    id(parent),
    childIds.map(() => me),
    childIds,
    numeric(childIds.map(() => weight)),
    0,
  ])
}

/** Everything but nonces and blocks. */
const ledgerOf = (node: TestNode) => {
  const { state } = node.rpc('dev.dumpState') as { state: Record<string, string> }
  return Object.entries(state).filter(([key]) => /^(stream|taxonomy|event|metadata|balance|role)/.test(key))
}

describe('hostile taxonomies', () => {
  test('a cycle is refused at every level, and changes nothing', () => {
    const node = startTestNode()
    create(node, ['a', 'composed'], ['b', 'composed'], ['c', 'composed'], ['p', 'primitive'])
    expect(compose(node, 'a', ['b', 'p']).code).toBe(0)
    expect(compose(node, 'b', ['c']).code).toBe(0)
    const before = ledgerOf(node)
    for (const children of [['a'], ['c'], ['p', 'b']]) {
      expect(compose(node, 'c', children).log).toContain('ERROR: taxonomy contains a cycle')
    }
    expect(ledgerOf(node)).toEqual(before)
  })

  test('a cycle that is loaded all the same ends at the depth limit or at the budget', () => {
    const linear = loadNetwork({
      primitives: { p: [{ event_time: 1, value: '7', created_at: 1 }] },
      taxonomies: [
        { parent: 'c', child: 'c', weight: '1', start_time: 0, group_sequence: 1 },
        { parent: 'c', child: 'p', weight: '1', start_time: 0, group_sequence: 1 },
      ],
    })
    const window = { from: 1n, to: 2n, frozenAt: undefined }
    expect(composedRecords(linear.reader, linear.streamOf('c').ref, window)).toEqual([
      { time: 1n, value: 7n * 10n ** 18n },
    ])
    const branching = loadNetwork({
      taxonomies: ['x', 'y'].flatMap((parent) =>
        ['x', 'y'].map((child) => ({ parent, child, weight: '1', start_time: 0, group_sequence: 1 })),
      ),
    })
    expect(() => composedRecords(branching.reader, branching.streamOf('x').ref, window)).toThrow('db timeout')
  })

  test('thousands of children are taken in, and read within a budget of a hundred thousand', () => {
    const node = startTestNode({ maxReadRows: 1_000_000 })
    const names = Array.from({ length: sweep(10_000, 2_000) }, (_, index) => `child ${index}`)
    for (let start = 0; start < names.length; start += 2000) {
      create(node, ...names.slice(start, start + 2000).map((name) => [name, 'primitive'] as const))
    }
    create(node, ['parent', 'composed'])
    expect(compose(node, 'parent', names).code).toBe(0)
    node.must(keys.owner, 'insert_record', me, id(names.at(-1) ?? ''), 1, numeric('3'))
    expect(node.view('get_record', [me, id('parent'), 1, 2, null])).toEqual([[1n, '3.000000000000000000']])
    expect(compose(node, 'parent', ['child 1', 'child 1']).log).toContain('SQLSTATE 23505')
    expect(compose(node, 'parent', ['child 1', 'nobody']).log).toContain(
      `child stream does not exist: ${me}:${id('nobody')}`,
    )
    expect(compose(node, 'parent', ['child 1'], '-1').log).toContain('SQLSTATE 23514')
    const none = { type: dataType('text', true), value: [] }
    const noWeights = { type: dataType('numeric', true, 36, 18), value: [] }
    const childless = node.execute(keys.owner, 'insert_taxonomy', [me, id('parent'), none, none, noWeights, 0])
    expect(childless.log).toContain('There must be at least 1 child')
  })
})

describe('hostile numbers', () => {
  test('a value of 36 digits is kept exactly, one more is refused', () => {
    const node = startTestNode()
    create(node, ['p', 'primitive'])
    const most = `${'9'.repeat(18)}.${'9'.repeat(18)}`
    node.must(keys.owner, 'insert_record', me, id('p'), 1, numeric(most))
    expect(node.view('get_record', [me, id('p'), 1, 1, null])).toEqual([[1n, most]])
    const tooMuch = {
      type: { name: 'numeric', isArray: false, precision: 36, scale: 18 },
      value: '1'.repeat(19),
    } as const
    expect(node.execute(keys.owner, 'insert_record', [me, id('p'), 2, tooMuch])).toMatchObject({ code: 1 })
    const huge = { ...tooMuch, value: '1e999999' }
    expect(node.execute(keys.owner, 'insert_record', [me, id('p'), 2, huge])).toMatchObject({ code: 1 })
  })

  test('a result beyond numeric(36,18) is an error of the database', () => {
    const node = startTestNode()
    create(node, ['p', 'primitive'], ['c', 'composed'], ['d', 'composed'])
    const most = '9'.repeat(18)
    node.must(keys.owner, 'insert_record', me, id('p'), 1, numeric(most))
    compose(node, 'c', ['p'], most)
    compose(node, 'd', ['c'], most)
    expect(() => node.view('get_record', [me, id('d'), 1, 2, null])).toThrow('numeric field overflow (SQLSTATE 22003)')
  })

  test('times at both ends of int8 are kept and found', () => {
    const node = startTestNode()
    create(node, ['p', 'primitive'])
    for (const time of [-(2n ** 63n), 2n ** 63n - 1n]) {
      node.must(keys.owner, 'insert_record', me, id('p'), time, numeric('1'))
    }
    expect(node.view('get_first_record', [me, id('p'), -(2n ** 63n), null])).toHaveLength(1)
    expect(node.view('get_record', [me, id('p'), 0, 2n ** 63n - 1n, null])).toHaveLength(2)
  })
})

describe('hostile ranges and lists', () => {
  test('a read gives at most ten thousand rows', () => {
    const events = Array.from({ length: 12_000 }, (_, index) => ({ event_time: index, value: '1.5', created_at: 1 }))
    const { reader, streamOf } = loadNetwork({
      primitives: { p: events },
      taxonomies: [{ parent: 'c', child: 'p', weight: '1', start_time: 0, group_sequence: 1 }],
    })
    const window = { from: 0n, to: undefined, frozenAt: undefined }
    expect(composedRecords(reader, streamOf('c').ref, window)).toHaveLength(10_000)
  })

  test('a read beyond its budget ends with the text of a timeout', () => {
    const events = Array.from({ length: 2000 }, (_, index) => ({ event_time: index, value: '1', created_at: 1 }))
    const { reader, streamOf } = loadNetwork({
      primitives: { p: events },
      taxonomies: [{ parent: 'c', child: 'p', weight: '1', start_time: 0, group_sequence: 1 }],
    })
    const small = { ...reader, budget: createBudget(1000) }
    expect(() => composedRecords(small, streamOf('c').ref, { from: 0n, to: undefined, frozenAt: undefined })).toThrow(
      'db timeout: the call touches more than 1000 rows (STREAMNET_MAX_READ_ROWS)',
    )
  })

  test('a transaction of calls or writes beyond the budget fails as a whole, and the next one goes on', () => {
    const node = startTestNode({ maxReadRows: 85_000 })
    create(node, ['p', 'primitive'])
    const before = ledgerOf(node)
    const names = (count: number) => Array.from({ length: count }, (_, at) => id(`p${at}`))
    const text = 'db timeout: the call touches more than 85000 rows (STREAMNET_MAX_READ_ROWS)'
    const reads = Array.from({ length: 3000 }, () => [me, id('p'), 0, 1, null])
    expect(node.execute(keys.owner, 'get_record', ...reads).log).toBe(`ERROR: ${text}`)
    const streams = (count: number) => [names(count), Array(count).fill('primitive')]
    expect(node.execute(keys.owner, 'create_streams', streams(1000)).log).toContain(text)
    expect(ledgerOf(node)).toEqual(before)
    expect(node.execute(keys.owner, 'create_streams', streams(300)).code).toBe(0)
  })

  test('eleven records in a call, lists of unequal length and empty ones are refused with the texts of the network', () => {
    const node = startTestNode()
    create(node, ['p', 'primitive'], ['c', 'composed'])
    const insert = (count: number, ids: readonly string[] = Array(count).fill(id('p'))) =>
      node.execute(keys.owner, 'insert_records', [
        Array(count).fill(me),
        ids,
        ids.map((_, at) => at),
        numeric(ids.map(() => '1')),
      ])
    expect(insert(11).log).toContain('insert_records: batch size exceeds maximum of 10 records')
    expect(insert(2, [id('p')]).log).toContain('array lengths mismatch')
    expect(insert(1, [id('nobody')]).log).toContain('one or more streams do not exist')
    expect(insert(1, [id('c')]).log).toContain('one or more streams are not primitive streams')
    const foreign = node.execute(keys.stranger, 'insert_record', [me, id('p'), 1, numeric('1')])
    expect(foreign.log).toContain('wallet not allowed to write to one or more streams')
    expect(() => node.view('list_streams', ['', 5001, 0, '', 0])).toThrow('Limit exceeds maximum allowed value of 5000')
    expect(node.view('list_streams', ['', 10, 0, 'constructor', 0])).toHaveLength(2)
  })
})

test('a read of one key of metadata pays for its rows, and a read of the newest for that one', () => {
  const node = startTestNode({ maxReadRows: 1_000 })
  create(node, ['a', 'primitive'])
  node.transact(({ store }) => {
    for (let row = 0; row <= 1_000; row++) addMetadata(store, 1, { rowId: `${row}`, key: 'k', int: 1n, createdAt: 2 })
  })
  const read = (order: string) => node.view('get_metadata', [me, id('a'), 'k', null, 1, 1, order]).map(([, int]) => int)
  expect(() => read('created_at ASC')).toThrow('db timeout')
  expect(read('')).toEqual([1n])
  expect(node.view('get_latest_metadata_int', [me, id('a'), 'k'])).toEqual([[1n]])
})

test('a page of the events of an agent rule pays for its own rows, however many the rule has', () => {
  const node = startTestNode({ maxReadRows: 1_000 })
  const ruleId = new Uint8Array(32)
  const event = { wallet: null, actor: me, amount: null, txId: 'ab'.repeat(32), height: 1, blockTime: 1 }
  node.transact(({ store }) => {
    for (let row = 0; row <= 1_000; row++)
      addAgentEvent(store, { ...event, ruleId: hexOf(ruleId), type: 'CREATE_RULE' })
  })
  expect(node.view('maa_get_events', [ruleId, 2, 1]).map(([number]) => number)).toEqual([2n, 3n])
})

test('a stream that changes its mind about zeros again and again still takes and drops them', () => {
  const node = startTestNode({ maxReadRows: 1_000 })
  create(node, ['a', 'primitive'])
  node.transact(({ store }) => {
    const row = { key: 'allow_zeros', bool: true, createdAt: 2, disabledAt: 2 }
    for (let at = 0; at <= 1_000; at++) addMetadata(store, 1, { rowId: `${at}`, ...row })
  })
  node.must(keys.owner, 'set_allow_zeros', me, id('a'), true)
  node.must(keys.owner, 'insert_record', me, id('a'), 1, numeric('0'))
  node.must(keys.owner, 'set_allow_zeros', me, id('a'), false)
  node.must(keys.owner, 'insert_record', me, id('a'), 2, numeric('0'))
  expect(node.view('get_record', [me, id('a'), 0, 9, null])).toEqual([[1n, '0.000000000000000000']])
})

test('a transaction pays for the lists of wallets that its checks walk', () => {
  const node = startTestNode({ maxReadRows: 1_000 })
  create(node, ['a', 'primitive'])
  node.transact(({ store }) => {
    for (let row = 0; row <= 1_000; row++) {
      addMetadata(store, 1, { rowId: `${row}`, key: 'allow_write_wallet', ref: me, createdAt: 2 })
    }
  })
  const inserted = [me, id('a'), 1, numeric('1')]
  expect(node.execute(keys.owner, 'insert_record', inserted).code).toBe(0)
  expect(node.execute(keys.stranger, 'insert_record', inserted).log).toContain('db timeout')
})
