import { describe, expect, test } from 'vitest'
import { numeric } from '#streamnet/codec/value.ts'
import { transactionToJson } from '#streamnet/rpc/transaction-json.ts'
import { hashTransactionSync } from '#streamnet/signing/sync-signer.ts'
import {
  broadcast,
  dumpState,
  executionPayload,
  keys,
  nextNonce,
  signTransaction,
  startTestNode,
  testSettings,
} from '../../support/devnode.ts'

const streamId = `st${'a'.repeat(30)}`
const fields = {
  chainId: testSettings.chainId,
  nonce: 1,
  payload: executionPayload('create_stream', streamId, 'primitive'),
}

const century = 100 * 365 * 86_400
const wallet = `0x${'12'.repeat(20)}`
const balance = { bridge: 'hoodi_tt', wallet }
const deposit = { ...balance, amount: '1', external_tx_hash: 'ab'.repeat(32) }

test.each<[method: string, name: string, others: object, taken: unknown[], refused: unknown[]]>([
  ['dev.mine', 'blocks', {}, [1, 1000], [0, 1001]],
  ['dev.setIntervalMining', 'interval_ms', {}, [0, 86_400_000], [-1, 86_400_001]],
  ['dev.increaseTime', 'seconds', {}, [0, century], [-1, century + 1]],
  ['dev.failNext', 'times', { error: 'connection_reset' }, [1, 10_000], [0, 10_001]],
  ['dev.setBalance', 'amount', balance, ['0', '9'.repeat(78)], ['', '9'.repeat(79)]],
  ['dev.deposit', 'external_block_height', deposit, [0, Number.MAX_SAFE_INTEGER], [-1, 2 ** 53]],
])('%s takes %s to its bounds and nothing beyond', (method, name, others, taken, refused) => {
  const call = (value: unknown) => () => startTestNode().rpc(method, { ...others, [name]: value })
  for (const value of taken) expect(call(value)).not.toThrow()
  for (const value of refused) expect(call(value)).toThrow(`${name} is `)
})

test('dev.* is refused unless the node is marked as a development node', () => {
  const node = startTestNode({ isDevelopment: false })
  for (const method of ['dev.mine', 'dev.reset', 'dev.setBalance', 'dev.dumpState', 'dev.failNext']) {
    expect(() => node.rpc(method)).toThrow('this node is not marked as a development node')
  }
})

test('parameters that are not a transaction, a role or a dump are refused and change nothing', () => {
  const node = startTestNode()
  const before = dumpState(node)
  const cases: readonly (readonly [method: string, params: object, text: string])[] = [
    ['dev.simulate', { tx: { body: null } }, 'tx has no body'],
    ['dev.simulate', { tx: { body: { payload: 'AA==' } } }, 'a member has another form'],
    ['dev.grantRole', { wallet: keys.stranger.address, role: '' }, 'expected 1 to 128 characters'],
    ['dev.grantRole', { wallet: keys.stranger.address, role: 'x'.repeat(129) }, 'expected 1 to 128 characters'],
    ['dev.grantRole', { wallet: keys.stranger.address, role: '\ud800' }, 'expected 1 to 128 characters'],
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
  expect(dumpState(node)).toBe(before)
})

test('dev.mine mines by hand: transactions wait, and count for the next nonce', () => {
  const node = startTestNode()
  node.rpc('dev.setAutomine', { enabled: false })
  const { tx_hash } = broadcast(node, signTransaction(keys.owner, fields))
  expect(node.rpc('user.tx_query', { tx_hash })).toMatchObject({ height: -1 })
  expect(nextNonce(node, keys.owner)).toBe(2)
  expect(node.rpc('dev.mine', { blocks: 2 })).toMatchObject({ height: 3, waiting: 0 })
  expect(node.rpc('user.tx_query', { tx_hash })).toMatchObject({ height: 2, tx_result: { code: 0 } })
})

test('dev.increaseTime and dev.setNextBlockTimestamp move the clock of the chain, only forwards', () => {
  const node = startTestNode()
  node.rpc('dev.increaseTime', { seconds: 3600 })
  expect(node.rpc('dev.mine')).toMatchObject({ block_time_ms: node.nowMs + 3_600_000 })
  node.rpc('dev.setNextBlockTimestamp', { timestamp: 2_000_000_000 })
  expect(node.rpc('dev.mine')).toMatchObject({ block_time_ms: 2_000_000_000_000 })
  expect(() => node.rpc('dev.setNextBlockTimestamp', { timestamp: 1 })).toThrow('-32602')
})

test('dev.simulate returns the outcome of a transaction and changes nothing', () => {
  const node = startTestNode()
  const before = dumpState(node)
  const tx = transactionToJson(signTransaction(keys.owner, fields))
  expect(node.rpc('dev.simulate', { tx })).toMatchObject({ code: 0, writes: expect.any(Number) })
  const other = transactionToJson(signTransaction(keys.stranger, fields))
  expect(node.rpc('dev.simulate', { tx: other })).toMatchObject({ code: 65535 })
  expect(dumpState(node)).toBe(before)
})

test('dev.increaseTime leaves the timestamp of the next block that was set', () => {
  const node = startTestNode()
  node.rpc('dev.setNextBlockTimestamp', { timestamp: 2_000_000_000 })
  node.rpc('dev.increaseTime', { seconds: 60 })
  expect(node.rpc('dev.mine')).toMatchObject({ chain_time_ms: 2_000_000_000_000 })
})

test('dev.simulate runs at the time of the next block, also where dev.setNextBlockTimestamp has set it', () => {
  const node = startTestNode()
  const due = Math.floor(node.nowMs / 1000) + 500
  node.rpc('dev.setNextBlockTimestamp', { timestamp: due })
  const payload = executionPayload('price_above_threshold', keys.owner.address, streamId, due, numeric('1'), null)
  const tx = transactionToJson(signTransaction(keys.owner, { ...fields, payload }))
  expect(node.rpc('dev.simulate', { tx })).toMatchObject({ log: expect.stringContaining('Stream does not exist') })
})

test('dev.simulate tells the mistake of a payload that cannot be read', () => {
  const node = startTestNode()
  const tx = transactionToJson(signTransaction(keys.owner, { ...fields, payload: new Uint8Array(1) }))
  expect(node.rpc('dev.simulate', { tx })).toMatchObject({ code: 1, log: expect.stringContaining('too short') })
})

describe('dev.failNext', () => {
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
    test(`${error} fails as many calls as asked, then lets the transaction in`, () => {
      const node = startTestNode()
      node.rpc('dev.failNext', { error, times: 2 })
      const transaction = signTransaction(keys.owner, fields)
      expect(() => broadcast(node, transaction)).toThrow(expected)
      expect(() => broadcast(node, transaction)).toThrow(expected)
      expect(broadcast(node, transaction)).toEqual({ tx_hash: hashTransactionSync(transaction) })
    })
  }

  test('applied_then_lost breaks the connection after the transaction is on the chain', () => {
    const node = startTestNode()
    node.rpc('dev.failNext', { error: 'applied_then_lost' })
    const transaction = signTransaction(keys.owner, fields)
    expect(() => broadcast(node, transaction)).toThrow('cut')
    expect(node.rpc('user.tx_query', { tx_hash: hashTransactionSync(transaction) })).toMatchObject({ height: 2 })
  })
})

describe('dev.impersonate', () => {
  test('takes transactions of a wallet with any signature, until it is revoked', () => {
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

  test('reads for a wallet on a private node, which asks all others for a signature', () => {
    const node = startTestNode({ mode: 'private' })
    expect(() => node.view('whoami', [], keys.stranger)).toThrow('challenge')
    node.rpc('dev.impersonate', { wallet: keys.stranger.address })
    expect(String(node.view('whoami', [], keys.stranger)[0]).toLowerCase()).toBe(keys.stranger.address)
    expect(() => node.view('whoami', [], keys.owner)).toThrow('challenge')
  })

  test('takes a hundred wallets, and the last of them again', () => {
    const node = startTestNode()
    const address = (number: number) => `0x${String(number).padStart(40, '0')}`
    for (let number = 0; number < 100; number++) node.rpc('dev.impersonate', { wallet: address(number) })
    expect(() => node.rpc('dev.impersonate', { wallet: address(99) })).not.toThrow()
    expect(() => node.rpc('dev.impersonate', { wallet: address(100) })).toThrow('expected at most 100')
  })
})
