import { describe, expect, test } from 'vitest'
import { NetClient } from '#streamnet/net-client.ts'
import { createLoopbackNode } from '../support/loopback-node.ts'

const node = createLoopbackNode()
const client = new NetClient(node.endpoint, '11'.repeat(32), { platform: node.platform })
const id = `st${'0'.repeat(30)}`
const dp = '0x7e5f4552091a69125d5dfcb7b8c2659029395bdf'
const wrongChecksum = '0x7e5F4552091A69125d5DfCb7b8C2659029395Bdf'
const side = { queryId: 1, outcome: true }
const terms = { bridge: 'eth_main', settleTime: 1, maxSpread: 1, minOrderSize: 1 }
const market = { dataProvider: dp, streamId: id, timestamp: 1, threshold: '1', ...terms }
/** Wrong values as untyped callers pass them. */
const wrong = <T>(value: unknown) => value as T

/** Calls that would be right without the change. */
const record = (value: string | number, date: number | bigint = 1) =>
  client.insertRecord({ streamId: id, record: { date, value } })
const grant = (change: object) => client.grantRole({ owner: 'system', roleName: 'r', wallets: [dp], ...change })
const fees = (change: object) => client.listTransactionFees({ wallet: dp, ...change })
const balance = (bridgeIdentifier: string) => client.getWalletBalance({ bridgeIdentifier, walletAddress: dp })
const withdraw = (amount: string) => client.withdraw({ bridgeIdentifier: 'eth_main', recipient: dp, amount })
const create = (change: object) => client.createPriceAboveThresholdMarket({ ...market, ...change })
const buy = (change: object) => client.placeBuyOrder({ ...side, price: 5, amount: 1, ...change })
const bid = (change: object) => client.changeBid({ ...side, oldPrice: -5, newPrice: -6, newAmount: 1, ...change })

const refused: readonly [string, () => unknown, string][] = [
  ['a short stream id', () => client.deployStream({ streamId: 'st1' }), 'stream_id must be exactly 32 characters'],
  ['a stream id in upper case', () => client.deployStream({ streamId: id.toUpperCase() }), 'Invalid stream_id format'],
  ['a stream id that is no text', () => client.deployStream({ streamId: wrong(5) }), 'stream_id must be exactly 32'],
  ['an unknown stream type', () => client.deployStream({ streamId: id, streamType: wrong('x') }), 'stream_type is "x"'],
  ['no definitions', () => client.batchDeployStreams({ definitions: [] }), 'definitions must not be empty'],
  ['no locators', () => client.batchStreamExists({ locators: [] }), 'locators must not be empty'],
  ['a wrong checksum', () => client.getRecords({ streamId: id, dataProvider: wrongChecksum }), 'wrong checksum'],
  ['a short address', () => client.getRecords({ streamId: id, dataProvider: '0x12' }), 'data_provider is "0x12"'],
  [
    'a range that ends before it begins',
    () => client.getRecords({ streamId: id, dateFrom: 2, dateTo: 1 }),
    'after date_to',
  ],
  ['a fractional bound', () => client.getRecords({ streamId: id, dateFrom: 1.5 }), 'not a safe integer'],
  ['a prefix with a quote', () => client.getRecords({ streamId: id, prefix: "x'" }), 'prefix is'],
  ['no interval', () => client.getIndexChange({ streamId: id, timeInterval: 0 }), 'time_interval must be a positive'],
  ['a limit beyond the network’s', () => client.listStreams({ limit: 5001 }), 'limit must be between 1 and 5000'],
  ['a negative offset', () => client.listStreams({ offset: -1 }), 'offset cannot be negative'],
  ['an unknown order', () => client.listStreams({ orderBy: wrong('id; DROP') }), 'order_by is "id; DROP"'],
  ['no records', () => client.insertRecords({ streamId: id, records: [] }), 'records must not be empty'],
  ['no batches', () => client.batchInsertRecords({ batches: [] }), 'records must not be empty'],
  ['a value of NaN', () => record(Number.NaN), '"NaN" is not a decimal number'],
  ['an infinite value', () => record(Number.POSITIVE_INFINITY), '"Infinity" is not a decimal number'],
  ['a value with 19 whole digits', () => record('1'.repeat(19)), 'expected at most 36'],
  ['a value that costs more than it says', () => record('1e999999'), 'exponent'],
  ['a date with a fraction', () => record('1', 1.5), 'expected Unix time in whole seconds'],
  ['a date beyond 2^53, which no client reads back', () => record('1', 2n ** 53n), 'at most 2^53 - 1'],
  ['a date beyond 64 bits', () => record('1', 2n ** 63n), 'at most 2^53 - 1'],
  ['no children', () => client.setTaxonomy({ streamId: id, childStreams: {} }), 'child_streams must not be empty'],
  [
    'a negative start',
    () => client.setTaxonomy({ streamId: id, childStreams: { [id]: 1 }, startDate: -1 }),
    'start_date',
  ],
  [
    'an unknown visibility',
    () => client.setReadVisibility({ streamId: id, visibility: wrong('x') }),
    'visibility is "x"',
  ],
  ['no wallets', () => grant({ wallets: [] }), 'wallets must not be empty'],
  ['one wallet in the place of a list', () => grant({ wallets: dp }), 'wallets must not be empty, expected a list'],
  ['no parameters', () => wrong<() => unknown>(client.getRecords)(), 'stream_id must be exactly 32'],
  [
    'parameters by position',
    () => wrong<(id: string) => unknown>(client.batchStreamExists)(id),
    'locators must not be empty, expected a list',
  ],
  [
    'one record in the place of a list',
    () => client.insertRecords({ streamId: id, records: wrong({ date: 1, value: 1 }) }),
    'records must not be empty, expected a list',
  ],
  ['an owner that is missing', () => grant({ owner: undefined }), 'owner is a undefined'],
  [
    'a role that is missing',
    () => client.areMembersOf({ owner: 'system', roleName: wrong(undefined), wallets: [dp] }),
    'role_name is empty',
  ],
  [
    'a market about a time in text, which could never be settled',
    () => create({ timestamp: '1' }),
    'timestamp must be a positive integer',
  ],
  [
    'a market about a height in text, which could never be settled',
    () => create({ frozenAt: '1' }),
    'frozen_at cannot be negative',
  ],
  [
    'a market about a stream id that no stream can have',
    () => create({ streamId: 'x'.repeat(32) }),
    'Invalid stream_id format',
  ],
  ['a market without a provider', () => create({ dataProvider: undefined }), 'data_provider must be 0x-prefixed'],
  ['no role', () => grant({ roleName: '' }), 'role_name is empty'],
  ['a malformed owner', () => grant({ owner: 'me' }), 'owner is "me"'],
  ['an empty tx_id', () => client.getTransactionEvent({ txId: '' }), 'tx_id is required and cannot be empty'],
  ['a short tx_id', () => client.getTransactionEvent({ txId: '0xab' }), 'expected 64 hex digits'],
  ['an empty wallet', () => fees({ wallet: '' }), 'wallet is required and cannot be empty'],
  ['an unknown mode', () => fees({ mode: 'x' }), 'mode must be one of: paid, received, both'],
  ['a limit of 0', () => fees({ limit: 0 }), 'limit must be between 1 and 1000'],
  ['a limit of 1001', () => fees({ limit: 1001 }), 'limit must be between 1 and 1000'],
  ['an offset of -1', () => fees({ offset: -1 }), 'offset cannot be negative'],
  ['an unknown bridge', () => balance('x'), 'bridge_identifier must be one of'],
  ['a bridge named like a property', () => balance('constructor'), 'bridge_identifier must'],
  [
    'an amount with a fraction',
    () => client.transfer({ bridgeIdentifier: 'eth_main', recipient: dp, amount: '1.5' }),
    'whole number of wei',
  ],
  ['an amount of 0', () => withdraw('0'), 'positive'],
  ['a negative amount', () => withdraw('-1'), 'positive'],
  ['a provider without 0x', () => create({ dataProvider: dp.slice(2) }), 'data_provider must be 0x-prefixed'],
  ['a market’s short stream id', () => create({ streamId: 'x' }), 'stream_id must be exactly 32 characters'],
  ['a spread of 0', () => create({ maxSpread: 0 }), 'max_spread must be between 1 and 50'],
  ['a spread of 51', () => create({ maxSpread: 51 }), 'max_spread must be between 1 and 50'],
  ['a minimum order of 0', () => create({ minOrderSize: 0 }), 'min_order_size must be positive'],
  ['an unknown collateral', () => create({ bridge: 'testnet_a' }), 'bridge must be one of'],
  [
    'a bridge without collateral',
    () => client.getUserCollateral({ bridge: 'testnet_a' }),
    'bridge must be one of: eth_main, eth_stable, testnet_b',
  ],
  [
    'a bridge that is none, for another wallet',
    () => client.getCollateralByWallet({ wallet: dp, bridge: 'x' }),
    'bridge must be one of',
  ],
  ['a threshold that is no decimal', () => create({ threshold: 'x' }), 'not a decimal'],
  [
    'short components',
    () => client.createMarket({ queryComponents: new Uint8Array(127), ...terms }),
    'query_components too short',
  ],
  ['a short hash', () => client.marketExists({ hash: new Uint8Array(31) }), 'hash has 31 bytes'],
  ['a query id of 0', () => client.getMarketInfo({ queryId: 0 }), 'query_id must be a positive integer'],
  [
    'a distribution id of 0',
    () => client.getDistributionDetails({ distributionId: 0 }),
    'distribution_id must be a positive integer',
  ],
  ['an unknown filter', () => client.listMarkets({ settledFilter: wrong('x') }), 'settled_filter is "x"'],
  ['101 markets', () => client.listMarkets({ limit: 101 }), 'limit must be between 1 and 100'],
  ['a negative price', () => buy({ price: -5 }), 'price must be between 1 and 99 cents'],
  [
    'a price of 100',
    () => client.placeSellOrder({ ...side, price: 100, amount: 1 }),
    'price must be between 1 and 99 cents',
  ],
  ['half a cent', () => buy({ price: 1.5 }), 'price must be between 1 and 99 cents'],
  ['no amount', () => buy({ amount: 0 }), 'amount must be positive'],
  [
    'a pair price of 0',
    () => client.placeSplitLimitOrder({ queryId: 1, truePrice: 0, amount: 1 }),
    'true_price must be',
  ],
  ['cancelling holdings', () => client.cancelOrder({ ...side, price: 0 }), 'Cannot cancel holdings (price=0)'],
  [
    'cancelling at 100',
    () => client.cancelOrder({ ...side, price: 100 }),
    'price must be between -99 and 99 (excluding 0)',
  ],
  ['a bid that is positive', () => bid({ oldPrice: 5 }), 'bid prices must be negative'],
  [
    'an ask that is negative',
    () => client.changeAsk({ ...side, oldPrice: 5, newPrice: -5, newAmount: 1 }),
    'ask prices must be non-negative',
  ],
  ['a new amount of 0', () => bid({ newAmount: 0 }), 'new_amount must be positive'],
  ['an action that is no name', () => client.callProcedure({ procedure: 'a b' }), 'expected the name of an action'],
  ['no argument list', () => client.executeProcedure({ procedure: 'a', args: [] }), 'args must not be empty'],
  ['an empty list as an argument', () => client.callProcedure({ procedure: 'a', args: [[]] }), 'the list is empty'],
  ['an argument beyond 64 bits', () => client.callProcedure({ procedure: 'a', args: [2n ** 63n] }), 'beyond 64 bits'],
  [
    'an encrypted attestation',
    () => client.requestAttestation({ dataProvider: dp, streamId: id, actionName: 'a', args: [], encryptSig: true }),
    'Signature encryption is not supported in MVP',
  ],
  ['an empty payload', () => client.parseAttestationPayload({ payload: new Uint8Array() }), 'Payload cannot be empty'],
]

describe('invalid_argument before a request is sent:', () => {
  test.each(refused)('%s', async (_, act, message) => {
    const before = node.requests.length
    const error = await Promise.resolve()
      .then(act)
      .catch((caught: unknown) => caught)
    expect(error).toMatchObject({ code: 'invalid_argument', message: expect.stringContaining(message) })
    expect(node.requests).toHaveLength(before)
  })
})

describe('NetClient', () => {
  test.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31, wrong<number>('soon')])(
    'refuses a time of %s for a request: its timer would fail or end at once',
    (timeoutMs) => {
      expect(() => new NetClient(node.endpoint, '11'.repeat(32), { timeoutMs })).toThrow(
        'timeout_ms must be 1 to 2^31 - 1',
      )
    },
  )
})

describe('deployStream() and batchDeployStreams()', () => {
  test('do not read the text "false" as true', async () => {
    await client.deployStream({ streamId: id, allowZeros: wrong('false') }).catch(() => undefined)
    expect(node.executed.at(-1)?.calls[0]?.[2]?.type.name).not.toBe('bool')
    const zeros = [true, wrong<boolean>('false')]
    const definitions = zeros.map((allowZeros) => ({ streamId: id, streamType: 'primitive' as const, allowZeros }))
    await expect(client.batchDeployStreams({ definitions })).rejects.toMatchObject({ code: 'invalid_argument' })
  })
})

describe('listMarkets()', () => {
  test.each([
    [undefined, false, null],
    ['all', false, null],
    ['active', false, false],
    ['settled', true, true],
    [true, false, true],
    [false, false, false],
    [true, true, false],
    [false, true, true],
  ] as const)('reads the filter %s, documented %s, as %s', async (settledFilter, documentedFilter, sent) => {
    await client.listMarkets({ settledFilter, documentedFilter })
    expect(node.called.at(-1)?.args[0]?.value).toBe(sent)
  })
})

describe('iterators', () => {
  const row = [dp, id, 'primitive', 1n] as const

  function connect() {
    const own = createLoopbackNode()
    return { own, reader: new NetClient(own.endpoint, '11'.repeat(32), { platform: own.platform }) }
  }

  test('read page after page until one is not full', async () => {
    const { own, reader } = connect()
    own.answers.set('list_streams', { rows: [row, row] })
    const seen: string[] = []
    for await (const { streamId } of reader.iterateStreams({ limit: 2 })) {
      seen.push(streamId)
      if (seen.length === 4) own.answers.set('list_streams', { rows: [row] })
    }
    expect(seen).toHaveLength(5)
    expect(own.called.map(({ args }) => args[2]?.value)).toEqual([0n, 2n, 4n])
  })

  test('stop reading when the reader stops', async () => {
    const { own, reader } = connect()
    own.answers.set('list_streams', { rows: [row, row] })
    for await (const _ of reader.iterateStreams({ limit: 2 })) break
    expect(own.called).toHaveLength(1)
  })

  test.each([
    ['markets', () => client.iterateMarkets({ settledFilter: 'active' })],
    ['fees', () => client.iterateTransactionFees({ wallet: dp })],
    ['bridge history', () => client.iterateHistory({ bridgeIdentifier: 'eth_main', walletAddress: dp })],
    ['role members', () => client.iterateRoleMembers({ owner: 'system', roleName: 'r' })],
    ['attestations', () => client.iterateAttestations()],
  ] as const)('end at once where there are no %s', async (_, iterate) => {
    for await (const one of iterate()) expect(one).toBeUndefined()
  })

  test('count transactions, not rows, for the pages of fees', async () => {
    const { own, reader } = connect()
    const fee = (txId: string, sequence: bigint) => [txId, 1n, 'm', dp, '1', null, null, sequence, dp, '1']
    own.answers.set('list_transaction_fees', {
      // Three rows of two transactions: with a limit of 3 this page is the last.
      rows: [fee('0xa', 1n), fee('0xa', 2n), fee('0xb', 1n)],
    })
    const seen: object[] = []
    for await (const one of reader.iterateTransactionFees({ wallet: dp, limit: 3 })) seen.push(one)
    expect(seen).toHaveLength(3)
    expect(own.called).toHaveLength(1)
  })
})
