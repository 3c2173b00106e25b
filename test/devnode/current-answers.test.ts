/** Answers of a node in the profile of today's network, where they differ from those of the described one. */

import { describe, expect, test } from 'vitest'
import { profiles } from '#devnode/profiles.ts'
import { encodeActionExecution } from '#streamnet/codec/payload.ts'
import { numeric } from '#streamnet/codec/value.ts'
import { transactionToJson } from '#streamnet/rpc/transaction-json.ts'
import { keys, malleate, signTransaction, startTestNode } from '../support/devnode.ts'
import document from '../vectors/streams-actions.json' with { type: 'json' }

const head = () => startTestNode({ profile: profiles.head })
const payload = encodeActionExecution({ namespace: '', action: 'whoami', calls: [[]] })
const signed = (description = '') =>
  signTransaction(keys.stranger, { chainId: 'test-chain', nonce: 1, payload, description })

describe('a transaction that cannot be verified', () => {
  const json = transactionToJson(signed())
  const foreign = signTransaction(keys.owner, { chainId: 'test-chain', nonce: 1, payload })
  test.each([
    ['a foreign signature', transactionToJson({ ...signed(), signature: foreign.signature })],
    ['a damaged signature', transactionToJson({ ...signed(), signature: new Uint8Array(65).fill(7) })],
    ['an unknown type of signature', { ...json, signature: { ...json.signature, type: 'secp256k2' } }],
    ['another serialization', { ...json, serialization: 'json' }],
    ['too long a description', transactionToJson(signed('x'.repeat(201)))],
  ])('by %s: -201 with code 65535', (_, tx) => {
    expect(() => head().rpc('user.broadcast', { tx })).toThrow(
      /^-201 broadcast error .*"code":65535,.*"message":"failed to verify the transaction: /,
    )
  })

  test('is taken with its signature in the other form, once', () => {
    const node = head()
    const copy = { ...signed(), signature: malleate(signed().signature) }
    expect(node.rpc('user.broadcast', { tx: transactionToJson(copy) })).toHaveProperty('tx_hash')
    expect(() => node.rpc('user.broadcast', { tx: json })).toThrow('got 1, expected 2')
  })
})

describe('nulls and checks, in the order in which the network and its database find them', () => {
  const [primitive, composed] = ['a', 'b'].map((letter) => `st${letter.repeat(30)}`) as [string, string]
  const me = keys.owner.address
  const nodeWithStreams = () => {
    const node = head()
    node.rpc('dev.setBalance', { bridge: 'hoodi_tt', wallet: me, amount: `${10n ** 24n}` })
    node.must(keys.owner, 'create_streams', [primitive, composed], ['primitive', 'composed'])
    return node
  }
  const notNull = (column: string, relation: string) =>
    `ERROR: null value in column "${column}" of relation "${relation}" violates not-null constraint (SQLSTATE 23502)`

  test.each([
    ['create_stream', [null, 'primitive'], notNull('stream_id', 'streams')],
    ['create_stream', [primitive.replace('a', 'c'), null], notNull('stream_type', 'streams')],
    ['create_stream', [null, 'other'], 'ERROR: type error: left: text right: int8'],
    [
      'create_streams',
      [
        [null, 'bad'],
        ['primitive', 'primitive'],
      ],
      'ERROR: Invalid stream_id format: bad',
    ],
    ['insert_metadata', [me, primitive, null, 'x', 'string'], notNull('row_id', 'metadata')],
    ['insert_metadata', [me, primitive, 'k', null, 'int'], notNull('row_id', 'metadata')],
    ['insert_metadata', [me, primitive, 'k', null, 'other'], 'ERROR: Unknown type used "other"'],
    ['insert_metadata', [me, primitive, 'stream_owner', null, 'ref'], 'ERROR: Cannot insert metadata for read-only'],
    [
      'insert_taxonomy',
      [me, composed, [me], [`st${'z'.repeat(30)}`], numeric(['1']), -1],
      'ERROR: child stream does not exist',
    ],
    ['insert_taxonomy', [me, composed, [me], [primitive], numeric(['-1']), -1], 'taxonomies_start_time_check'],
    ['insert_taxonomy', [me, composed, [me], [primitive], numeric(['-1']), 0], 'taxonomies_weight_check'],
  ] as const)('%s %j', (action, args, text) => {
    expect(nodeWithStreams().execute(keys.owner, action, args).log).toContain(text)
  })

  test('insert_record without a time and a value names the time, where zeros are kept', () => {
    const node = nodeWithStreams()
    node.must(keys.owner, 'set_allow_zeros', me, primitive, true)
    const { log } = node.execute(keys.owner, 'insert_record', [me, primitive, null, null])
    expect(log).toContain(notNull('event_time', 'primitive_events'))
  })

  test('list_streams looks at the offset before the limit, and at both without a height', () => {
    const node = nodeWithStreams()
    expect(() => node.view('list_streams', ['', -1, -1, null, 0])).toThrow('OFFSET must not be negative')
    expect(() => node.view('list_streams', ['', -1, 0, null, null])).toThrow('LIMIT must not be negative')
  })
})

describe('a stream that does not exist', () => {
  const absent = [keys.owner.address, `st${'0'.repeat(30)}`]
  test.each([
    ['get_record', [null, null, null], 'Stream not found'],
    ['get_index', [null, null, null, null], 'Stream not found'],
    ['get_index_change', [null, null, null, null, 60], 'Stream not found'],
    ['get_index_change', [null, null, null, null, null], 'time_interval is required'],
    ['get_first_record', [null, null], 'Stream not found'],
    ['get_last_record', [null, null], 'Stream not found'],
    ['get_high_value', [null, null, null], 'Stream not found'],
    ['is_primitive_stream', [], 'Stream not found'],
    ['get_base_value', [null, null], 'Stream does not exist'],
    ['get_index_primitive', [null, null, null, null], 'Stream does not exist'],
    ['get_category_streams', [null, null], 'Stream does not exist'],
    ['get_allow_zeros', [], 'Stream does not exist'],
    ['is_stream_owner', [keys.owner.address], 'Stream does not exist'],
    ['is_allowed_to_read', [keys.owner.address, null, null], 'Stream does not exist'],
  ] as const)('%s %j: %s', (action, rest, text) => {
    expect(() => head().view(action, [...absent, ...rest])).toThrow(text)
  })
})

describe('chain.*', () => {
  const key = '02c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5'

  test('block_header is flat, in the names of the network', () => {
    expect(head().rpc('chain.block_header', { height: 1 })).toMatchObject({
      Version: 0,
      Height: 1,
      NumTxns: 0,
      PrevHash: '0'.repeat(64),
      Timestamp: new Date(1_760_000_000_000).toISOString(),
    })
  })

  test('health, genesis and validators', () => {
    const node = head()
    node.rpc('dev.mine')
    expect(node.rpc('chain.health')).toEqual({ chain_id: 'test-chain', height: 2, healthy: true })
    const validators = [{ pubkey: key, type: 'secp256k1', power: 1 }]
    expect(node.rpc('chain.genesis')).toMatchObject({ leader: { type: 'secp256k1', key }, validators })
    expect(node.rpc('chain.validators')).toEqual({ height: 2, validators })
  })
})

describe('what is asked for by a name that does not exist', () => {
  const call = (node: ReturnType<typeof head>, params: object) => {
    const answer = node.send(JSON.stringify({ jsonrpc: '2.0', id: 1, ...params }))
    if (typeof answer === 'string' || !('error' in answer.body)) throw new Error('no error')
    return answer.body.error
  }

  test('a type of signature is -601, a type of key -500', () => {
    const body = { payload: 'AAAAAAAAAAAAAA==', challenge: null }
    const params = { body, auth_type: 'ed448', sender: keys.owner.address.slice(2), signature: null }
    expect(call(head(), { method: 'user.call', params }).code).toBe(-601)
    const id = { identifier: keys.owner.address.slice(2), key_type: 'rsa' }
    expect(call(head(), { method: 'user.account', params: { id, status: 0 } }).code).toBe(-500)
  })

  test('every private action is refused as private; by a view, one that writes is refused as such before', () => {
    const node = startTestNode()
    const hidden = document.actions.filter(({ modifiers }) => modifiers.includes('PRIVATE'))
    expect(hidden.length).toBeGreaterThan(70)
    for (const { name, modifiers } of hidden) {
      const text = `action is private: action ${name} is private`
      const writes = `connection is read-only and cannot mutate state: action "${name}" requires a writer connection`
      expect(() => node.view(name, [])).toThrow(`-300 ${modifiers.includes('VIEW') ? text : writes}`)
      expect(node.execute(keys.owner, name, [])).toMatchObject({ code: 65535, log: `ERROR: ${text}` })
    }
  })
})

test('the result of a transaction leaves out what is empty', () => {
  const node = head()
  const { hash } = node.must(keys.stranger, 'whoami')
  expect(node.rpc('user.tx_query', { tx_hash: hash })).toMatchObject({ tx_result: { code: 0, gas: 0 } })
  const { tx_result } = node.rpc('user.tx_query', { tx_hash: hash }) as { tx_result: object }
  expect(Object.keys(tx_result)).toEqual(['code', 'gas'])
})

test('the cache is reported for composed streams, as switched off', () => {
  const node = head()
  const wallet = keys.stranger.address
  node.rpc('dev.setBalance', { bridge: 'hoodi_tt', wallet, amount: `${10n ** 24n}` })
  const [leaf, parent] = [`st${'1'.repeat(30)}`, `st${'2'.repeat(30)}`]
  node.must(keys.stranger, 'create_stream', leaf, 'primitive')
  node.must(keys.stranger, 'create_stream', parent, 'composed')
  const logs = (id: string) => node.call('get_record', [wallet, id, null, null, null, true]).logs
  expect([logs(leaf), logs(parent)]).toEqual(['', '1. {"cache_disabled": true}'])
})

// Recorded from a real node, trufnetwork/node b91481bc.
describe("checks that today's network makes of names", () => {
  const capitals = `st${'a'.repeat(29)}A`
  const funded = () => {
    const node = head()
    node.rpc('dev.setBalance', { bridge: 'hoodi_tt', wallet: keys.owner.address, amount: `${10n ** 24n}` })
    return node
  }

  test('a new stream may have capitals in its id, which check_stream_id_format refuses', () => {
    const node = funded()
    node.must(keys.owner, 'create_stream', capitals, 'primitive')
    expect(node.view('stream_exists', [keys.owner.address, capitals])).toEqual([[true]])
    expect(node.view('stream_exists', [keys.owner.address, capitals.toLowerCase()])).toEqual([[false]])
    expect(node.view('check_stream_id_format', [capitals])).toEqual([[false]])
    expect(node.view('validate_stream_ids_format_batch', [[capitals]])).toEqual([[capitals, true, '']])
  })

  test('a new stream may have nothing else in its id', () => {
    const node = funded()
    for (const id of [`ST${'a'.repeat(30)}`, `st${'a'.repeat(29)}_`, `st${'a'.repeat(29)}É`]) {
      expect(node.execute(keys.owner, 'create_stream', [id, 'primitive']).code).toBe(65535)
    }
  })

  test('is_wallet_allowed_to_write_batch wants a wallet', () => {
    expect(() => head().view('is_wallet_allowed_to_write_batch', [[capitals], [capitals], 'X'])).toThrow(
      'Invalid wallet address. Must be a valid Ethereum address: x',
    )
  })
})
