import { describe, expect, test } from 'vitest'
import { isImpersonated } from '#devnode/admission.ts'
import { profiles } from '#devnode/profiles.ts'
import { encodeActionExecution } from '#streamnet/codec/payload.ts'
import { numeric, toTypedValue } from '#streamnet/codec/value.ts'
import { transactionToJson } from '#streamnet/rpc/transaction-json.ts'
import { hashTransactionSync } from '#streamnet/signing/sync-signer.ts'
import type { SignedTransaction } from '#streamnet/types.ts'
import {
  keys,
  malleate,
  nextNonce,
  signTransaction,
  startTestNode,
  type TestNode,
  testSettings,
} from '../support/devnode.ts'

const streamId = `st${'a'.repeat(30)}`
const execution = (action: string, ...args: Parameters<typeof toTypedValue>[0][]) =>
  encodeActionExecution({ namespace: '', action, calls: [args.map(toTypedValue)] })
const createPayload = execution('create_stream', streamId, 'primitive')
const fields = { chainId: 'test-chain', nonce: 1, payload: createPayload }

const broadcast = (node: TestNode, transaction: SignedTransaction) =>
  node.rpc('user.broadcast', { tx: transactionToJson(transaction) })

/** Everything the node keeps, to see that a refusal has changed nothing. */
const stateOf = (node: TestNode) => JSON.stringify(node.rpc('dev.dumpState'))

describe('handleRpc()', () => {
  const node = startTestNode()
  const cases: readonly (readonly [name: string, text: string, status: number, code: number])[] = [
    ['text that is not JSON', '{', 400, -32700],
    ['a batch', '[]', 400, -32600],
    ['another version', '{"jsonrpc":"1.0","id":1,"method":"user.ping","params":{}}', 400, -32600],
    ['id 0', '{"jsonrpc":"2.0","id":0,"method":"user.ping","params":{}}', 400, -32600],
    ['no id', '{"jsonrpc":"2.0","method":"user.ping","params":{}}', 400, -32600],
    ['params that are a list', '{"jsonrpc":"2.0","id":1,"method":"user.ping","params":[]}', 400, -32602],
    ['an unknown method', '{"jsonrpc":"2.0","id":1,"method":"user.pong","params":{}}', 404, -32601],
    ['a method of an object', '{"jsonrpc":"2.0","id":1,"method":"constructor","params":{}}', 404, -32601],
    ['an account without id', '{"jsonrpc":"2.0","id":1,"method":"user.account","params":{}}', 400, -32602],
    ['a hash with 0x', '{"jsonrpc":"2.0","id":1,"method":"user.tx_query","params":{"tx_hash":"0x12"}}', 400, -32602],
    ['a call without body', '{"jsonrpc":"2.0","id":1,"method":"user.call","params":{}}', 400, -32602],
    ['a broadcast of nothing', '{"jsonrpc":"2.0","id":1,"method":"user.broadcast","params":{"tx":null}}', 400, -32602],
  ]
  for (const [name, text, status, code] of cases) {
    test(`refuses ${name} with ${code} and HTTP ${status}`, () => {
      const answer = node.send(text)
      expect(answer).toMatchObject({ status, body: { error: { code } } })
    })
  }

  test('answers the id it was asked with, text or number', () => {
    for (const id of [7, '8']) {
      expect(node.send(JSON.stringify({ jsonrpc: '2.0', id, method: 'user.ping' }))).toMatchObject({ body: { id } })
    }
  })
})

describe('admit()', () => {
  const refused = (name: string, transaction: (node: TestNode) => SignedTransaction, expected: string) =>
    test(`refuses ${name}, and changes nothing`, () => {
      const node = startTestNode()
      const before = stateOf(node)
      expect(() => broadcast(node, transaction(node))).toThrow(expected)
      expect(stateOf(node)).toBe(before)
    })

  refused('another chain', () => signTransaction(keys.owner, { ...fields, chainId: 'x' }), '"code":5')
  refused('a gap in the nonces', () => signTransaction(keys.owner, { ...fields, nonce: 3 }), 'got 3, expected 1')
  refused('an unknown kind', () => signTransaction(keys.owner, { ...fields, payloadType: 'mint' }), '"code":2')
  refused(
    'a forged sender',
    () => ({ ...signTransaction(keys.stranger, fields), sender: keys.owner.address }),
    '"code":3,',
  )
  refused(
    'a changed payload',
    () => ({ ...signTransaction(keys.owner, fields), payload: execution('create_stream', streamId, 'composed') }),
    'invalid signature',
  )
  refused(
    'a payload that lies about its lengths',
    () => signTransaction(keys.owner, { ...fields, payload: createPayload.map((byte, at) => (at === 2 ? 255 : byte)) }),
    '"code":1,',
  )
  refused(
    'a payload that is cut off',
    () => signTransaction(keys.owner, { ...fields, payload: createPayload.subarray(0, 20) }),
    '"code":1,',
  )
  refused(
    'too long a description',
    () => signTransaction(keys.owner, { ...fields, description: 'ü'.repeat(101) }),
    '"code":1,',
  )

  test('refuses a replay as a transaction that exists, and counts it once', () => {
    const node = startTestNode()
    const transaction = signTransaction(keys.owner, fields)
    broadcast(node, transaction)
    expect(() => broadcast(node, transaction)).toThrow('transaction already exists')
    expect(nextNonce(node, keys.owner)).toBe(2)
  })

  test('takes both forms of the recovery byte; each has its own hash', () => {
    const node = startTestNode()
    const first = signTransaction(keys.owner, fields)
    const wallet = signTransaction(keys.owner, { ...fields, nonce: 2, payload: execution('whoami') })
    const shifted = { ...wallet, signature: wallet.signature.map((byte, at) => (at === 64 ? byte + 27 : byte)) }
    expect(broadcast(node, first)).toEqual({ tx_hash: hashTransactionSync(first) })
    expect(broadcast(node, shifted)).toEqual({ tx_hash: hashTransactionSync(shifted) })
    expect(hashTransactionSync(shifted)).not.toBe(hashTransactionSync(wallet))
  })

  test('a transaction with its signature in the other form takes no second effect: the nonce is used', () => {
    const node = startTestNode()
    const transaction = signTransaction(keys.owner, fields)
    const copy = { ...transaction, signature: malleate(transaction.signature) }
    broadcast(node, transaction)
    expect(() => broadcast(node, copy)).toThrow('got 1, expected 2')
  })

  test('asks a fee and a balance on a chain that charges them', () => {
    const node = startTestNode({ hasGas: true })
    expect(node.rpc('user.estimate_price', { tx: transactionToJson(signTransaction(keys.owner, fields)) })).toEqual({
      price: '2000000000000000',
    })
    expect(() => broadcast(node, signTransaction(keys.owner, fields))).toThrow('"code":7')
    expect(() => broadcast(node, signTransaction(keys.owner, { ...fields, fee: 2n * 10n ** 15n }))).toThrow('"code":6')
  })

  test('refuses what is beyond the pool', () => {
    const node = startTestNode()
    node.rpc('dev.setAutomine', { enabled: false })
    node.store.put('pool-next', '10000')
    expect(() => broadcast(node, signTransaction(keys.owner, fields))).toThrow('"code":11')
  })
})

describe('applyTransaction()', () => {
  test('keeps the nonce of a transaction that fails, and nothing else of it', () => {
    const node = startTestNode()
    const failing = node.execute(keys.owner, 'create_streams', [
      [streamId, 'bad'],
      ['primitive', 'primitive'],
    ])
    expect(failing).toMatchObject({ code: 65535, log: expect.stringContaining('Invalid stream_id format: bad') })
    expect(nextNonce(node, keys.owner)).toBe(2)
    expect(node.view('stream_exists', [keys.owner.address, streamId])).toEqual([[false]])
  })

  test('runs an action once for each call, all or none', () => {
    const node = startTestNode()
    node.must(keys.owner, 'create_stream', streamId, 'primitive')
    const call = (time: number, id = streamId) => [[keys.owner.address], [id], [time], numeric(['1'])]
    expect(node.execute(keys.owner, 'insert_records', call(1), call(2), call(3)).code).toBe(0)
    expect(node.execute(keys.owner, 'insert_records', call(4), call(5, `st${'z'.repeat(30)}`)).code).toBe(65535)
    expect(node.view('get_record', [keys.owner.address, streamId, 1, 9, null])).toHaveLength(3)
  })

  test('returns the engine texts of the network', () => {
    const node = startTestNode()
    const logOf = (action: string, ...args: Parameters<typeof toTypedValue>[0][]) =>
      node.execute(keys.owner, action, args).log
    expect(logOf('nope')).toBe('ERROR: unknown action: action "nope" does not exist in namespace "main"')
    expect(logOf('whoami', 1)).toContain('action "whoami" expected at most 0 arguments, but got 1')
    expect(logOf('create_stream', streamId, 5)).toContain('expected argument 2 to be of type text, but got int8')
    expect(logOf('create_stream', streamId)).toContain('missing required argument 2 ($stream_type)')
    const value = numeric('1.5', 2, 1)
    expect(logOf('insert_record', keys.owner.address, streamId, 1, value)).toContain(
      'expected argument 4 to be of type numeric(36,18), but got numeric(2,1)',
    )
  })
})

describe('user.query', () => {
  test('takes a parameter that is not encoded text for one that equals nothing', () => {
    const query = 'SELECT * FROM info.actions WHERE namespace = $namespace'
    for (const value of [null, 'main', [], {}, { type: null, data: [] }, { type: { name: 'int8' }, data: ['AQ=='] }]) {
      const result = startTestNode().rpc('user.query', { query, params: { $namespace: value } })
      expect(result).toEqual({ column_names: null, column_types: null, values: null })
    }
  })
})

describe('user.call', () => {
  test('changes nothing: an action that writes is refused', () => {
    const node = startTestNode()
    expect(() => node.call('create_stream', [streamId, 'primitive'], keys.owner)).toThrow(
      'requires a writer connection',
    )
  })

  test('gives the text of an action that refuses as an error in a success', () => {
    const answer = startTestNode().call('get_record', [keys.owner.address, streamId, null, null, null])
    expect(answer.error).toBe(`Stream does not exist: data_provider=${keys.owner.address} stream_id=${streamId}`)
    expect(answer.query_result.values).toBeNull()
  })

  test('notes in its logs that there was no cache, where one was asked for', () => {
    const node = startTestNode()
    node.must(keys.owner, 'create_stream', streamId, 'primitive')
    expect(node.call('get_record', [keys.owner.address, streamId, 1, 2, null, true]).logs).toBe(
      '1. {"cache_hit": false}',
    )
    expect(node.call('get_record', [keys.owner.address, streamId, 1, 2, null]).logs).toBe('')
  })

  test('writes values below a millionth in scientific form', () => {
    const node = startTestNode()
    node.must(keys.owner, 'create_stream', streamId, 'primitive')
    node.must(keys.owner, 'insert_record', keys.owner.address, streamId, 1, numeric('0.0000001'))
    expect(node.view('get_record', [keys.owner.address, streamId, 1, 1, null])).toEqual([[1n, '1.00000000000E-7']])
  })
})

describe('dev.*', () => {
  test('is refused unless the node is marked as a development node', () => {
    const node = startTestNode({ isDevelopment: false })
    for (const method of ['dev.mine', 'dev.reset', 'dev.setBalance', 'dev.dumpState', 'dev.failNext']) {
      expect(() => node.rpc(method)).toThrow('this node is not marked as a development node')
    }
  })

  test('mines by hand: transactions wait, and count for the next nonce', () => {
    const node = startTestNode()
    node.rpc('dev.setAutomine', { enabled: false })
    const { tx_hash } = broadcast(node, signTransaction(keys.owner, fields)) as { tx_hash: string }
    expect(node.rpc('user.tx_query', { tx_hash })).toMatchObject({ height: -1 })
    expect(nextNonce(node, keys.owner)).toBe(2)
    expect(node.rpc('dev.mine', { blocks: 2 })).toMatchObject({ height: 3, waiting: 0 })
    expect(node.rpc('user.tx_query', { tx_hash })).toMatchObject({ height: 2, tx_result: { code: 0 } })
  })

  test('moves the clock of the chain, only forwards', () => {
    const node = startTestNode()
    node.rpc('dev.increaseTime', { seconds: 3600 })
    expect(node.rpc('dev.mine')).toMatchObject({ block_time_ms: node.nowMs + 3_600_000 })
    node.rpc('dev.setNextBlockTimestamp', { timestamp: 2_000_000_000 })
    expect(node.rpc('dev.mine')).toMatchObject({ block_time_ms: 2_000_000_000_000 })
    expect(() => node.rpc('dev.setNextBlockTimestamp', { timestamp: 1 })).toThrow('-32602')
  })

  test('snapshot and revert bring the whole ledger back, nested ones too', () => {
    const node = startTestNode()
    const start = stateOf(node)
    const first = node.rpc('dev.snapshot') as { snapshot: number }
    node.must(keys.owner, 'create_stream', streamId, 'primitive')
    const middle = stateOf(node)
    const second = node.rpc('dev.snapshot') as { snapshot: number }
    node.must(keys.owner, 'delete_stream', keys.owner.address, streamId)
    node.rpc('dev.revert', second)
    expect(stateOf(node)).toBe(middle)
    node.must(keys.owner, 'insert_record', keys.owner.address, streamId, 1, numeric('5'))
    node.rpc('dev.revert', first)
    expect(stateOf(node)).toBe(start)
    expect(() => node.rpc('dev.revert', second)).toThrow('does not exist')
  })

  test('dump and load bring a ledger to another node, and refuse what is not a dump', () => {
    const [from, to] = [startTestNode(), startTestNode()]
    from.must(keys.owner, 'create_stream', streamId, 'primitive')
    to.rpc('dev.loadState', from.rpc('dev.dumpState') as object)
    expect(stateOf(to)).toBe(stateOf(from))
    expect(to.view('stream_exists', [keys.owner.address, streamId])).toEqual([[true]])
    for (const state of [undefined, [], { head: 1 }, { 'bad key': 'x', head: '1' }]) {
      expect(() => to.rpc('dev.loadState', { state })).toThrow('-32602')
    }
  })

  test('reset empties the ledger and begins again', () => {
    const node = startTestNode()
    const start = stateOf(node)
    node.must(keys.owner, 'create_stream', streamId, 'primitive')
    expect(node.rpc('dev.reset')).toMatchObject({ height: 1 })
    expect(stateOf(node)).toBe(start)
  })

  test('simulate returns the outcome of a transaction and changes nothing', () => {
    const node = startTestNode()
    const before = stateOf(node)
    const tx = transactionToJson(signTransaction(keys.owner, fields))
    expect(node.rpc('dev.simulate', { tx })).toMatchObject({ code: 0, writes: expect.any(Number) })
    const other = transactionToJson(signTransaction(keys.stranger, fields))
    expect(node.rpc('dev.simulate', { tx: other })).toMatchObject({ code: 65535 })
    expect(stateOf(node)).toBe(before)
  })

  const retries: readonly (readonly [error: string, expected: string])[] = [
    ['invalid_nonce', '-201 broadcast error {"code":4'],
    ['mempool_full', '-201 broadcast error {"code":11'],
    ['catching_up', 'node is catching up'],
    ['no_backend', 'no available backend'],
    ['connection_refused', 'connection refused'],
    ['no_such_host', 'no such host'],
    ['connection_reset', 'connection reset'],
    ['unexpected_eof', 'EOF'],
    ['deadline_exceeded', 'deadline exceeded'],
    ['failed_to_estimate_price', '-200 failed to estimate price'],
    ['internal_error', '-32603'],
  ]
  for (const [error, expected] of retries) {
    test(`failNext ${error} fails as many calls as asked, then lets the transaction in`, () => {
      const node = startTestNode()
      node.rpc('dev.failNext', { error, times: 2 })
      const transaction = signTransaction(keys.owner, fields)
      expect(() => broadcast(node, transaction)).toThrow(expected)
      expect(() => broadcast(node, transaction)).toThrow(expected)
      expect(broadcast(node, transaction)).toEqual({ tx_hash: hashTransactionSync(transaction) })
    })
  }

  test('failNext applied_then_lost breaks the connection after the transaction is on the chain', () => {
    const node = startTestNode()
    node.rpc('dev.failNext', { error: 'applied_then_lost' })
    const transaction = signTransaction(keys.owner, fields)
    expect(() => broadcast(node, transaction)).toThrow('cut')
    expect(node.rpc('user.tx_query', { tx_hash: hashTransactionSync(transaction) })).toMatchObject({ height: 2 })
  })

  test('parameters that are not a transaction, a role or a dump are refused and change nothing', () => {
    const node = startTestNode()
    const before = stateOf(node)
    const cases: readonly (readonly [method: string, params: object, text: string])[] = [
      ['dev.simulate', { tx: { body: null } }, 'tx has no body'],
      ['dev.simulate', { tx: { body: { payload: 'AA==' } } }, 'a member has another form'],
      ['dev.grantRole', { wallet: keys.stranger.address, role: '' }, 'expected 1 to 128 characters'],
      ['dev.grantRole', { wallet: keys.stranger.address, role: 'x'.repeat(129) }, 'expected 1 to 128 characters'],
      ['dev.setNextBlockTimestamp', { timestamp: 1 }, 'to 4913600000'],
      ['dev.reset', { seed: 'true' }, 'seed is "true", expected true or false'],
      ['dev.loadState', { state: [] }, 'state is object, expected what dev.dumpState gave'],
      ['dev.loadState', { state: { head: 'x' } }, 'is not what dev.dumpState gave'],
      ['dev.loadState', { state: { head: '1', 'block/00000000000001': '{}' } }, 'is not what dev.dumpState gave'],
      ['dev.loadState', { state: { head: '1', 'block/00000000000001': '{' } }, 'is not what dev.dumpState gave'],
      ['user.broadcast', {}, 'tx is missing its body'],
      ['user.broadcast', { tx: [] }, 'tx is missing its body'],
      ['user.broadcast', { tx: { body: {} } }, 'tx is missing its signature'],
    ]
    for (const [method, params, text] of cases) {
      expect(() => node.rpc(method, params)).toThrow(new RegExp(`^-32602 .*${text}`))
    }
    expect(stateOf(node)).toBe(before)
  })

  test('setBalance takes every name of a bridge that the client takes', () => {
    const node = startTestNode()
    const wallet = keys.stranger.address
    const names = { sepolia_bridge: 'sepolia', ethereum_bridge: 'ethereum', testnet_b: 'hoodi_tt2' }
    for (const [bridge, prefix] of Object.entries(names)) {
      node.rpc('dev.setBalance', { bridge, wallet, amount: '7' })
      expect(node.view(`${prefix}_wallet_balance`, [wallet])).toEqual([['7']])
    }
    for (const bridge of ['base_bridge', 'constructor']) {
      expect(() => node.rpc('dev.setBalance', { bridge, wallet, amount: '7' })).toThrow(
        'expected one of eth_main, eth_stable, testnet_a, testnet_b, testnet_legacy',
      )
    }
  })

  test('the seed network of a profile with fees pays in for its providers and the wallets of the settings', () => {
    const node = startTestNode({ profile: profiles.head })
    node.rpc('dev.loadSeedNetwork')
    expect(node.view('hoodi_tt_wallet_balance', [keys.owner.address])).toEqual([[`${10n ** 24n}`]])
    expect(node.execute(keys.owner, 'create_stream', [streamId, 'primitive']).code).toBe(0)
    const free = startTestNode()
    free.rpc('dev.loadSeedNetwork')
    expect(free.view('hoodi_tt_wallet_balance', [keys.owner.address])).toEqual([['0']])
  })

  test('impersonate takes transactions of a wallet with any signature, until it is revoked', () => {
    const node = startTestNode()
    const { address } = keys.stranger
    const send = (nonce: number) => {
      const forged = signTransaction(keys.owner, { ...fields, nonce, sender: address })
      return broadcast(node, { ...forged, signature: new Uint8Array(65) })
    }
    node.rpc('dev.grantRole', { wallet: address })
    expect(() => send(1)).toThrow('invalid signature')
    expect(node.rpc('dev.impersonate', { wallet: address.toUpperCase().replace('0X', '0x') })).toEqual({
      impersonated: [address],
    })
    send(1)
    expect(node.view('list_streams', [address, 10, 0, '', 0])).toEqual([[address, streamId, 'primitive', 2n]])
    expect(() => send(3)).toThrow('got 3, expected 2')
    expect(node.rpc('dev.impersonate', { wallet: address, enabled: false })).toEqual({ impersonated: [] })
    expect(() => send(2)).toThrow('invalid signature')
  })

  test('impersonate counts for nothing on a ledger that a node without development methods opens', () => {
    const node = startTestNode()
    node.rpc('dev.impersonate', { wallet: keys.stranger.address })
    const settings = { ...testSettings, isDevelopment: false }
    expect(isImpersonated(node.store, testSettings, keys.stranger.address)).toBe(true)
    expect(isImpersonated(node.store, settings, keys.stranger.address)).toBe(false)
  })

  test('impersonate reads for a wallet on a private node, which asks all others for a signature', () => {
    const node = startTestNode({ mode: 'private' })
    expect(() => node.view('whoami', [], keys.stranger)).toThrow('challenge')
    node.rpc('dev.impersonate', { wallet: keys.stranger.address })
    expect(String(node.view('whoami', [], keys.stranger)[0]).toLowerCase()).toBe(keys.stranger.address)
    expect(() => node.view('whoami', [], keys.owner)).toThrow('challenge')
  })

  test('the seed network gives numbers to the first read, the same in every node', () => {
    const nodes = [startTestNode(), startTestNode()]
    const reads = nodes.map((node) => {
      const { streams } = node.rpc('dev.loadSeedNetwork') as {
        streams: readonly { name: string; streamId: string; dataProvider: string }[]
      }
      const living = streams.find(({ name }) => name === 'cost-of-living')
      if (living === undefined) throw new Error('the seed network has no cost of living')
      return node.view('get_index', [living.dataProvider, living.streamId, 1_735_689_600, 1_767_225_600, null, null])
    })
    expect(reads[0]).toHaveLength(365)
    expect(reads[0]).toEqual(reads[1])
    expect(reads[0]?.[0]).toEqual([1_735_689_600n, '100.000000000000000000'])
  })
})
