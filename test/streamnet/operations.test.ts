import { describe, expect, test } from 'vitest'
import type { OperationName } from '#streamnet/catalogue/entry.ts'
import { catalogue } from '#streamnet/catalogue.ts'
import { parseAddress, toChecksumAddress } from '#streamnet/ids.ts'
import { encodeActionArgs, encodeMarketQuestion } from '#streamnet/market-question.ts'
import { NetClient } from '#streamnet/net-client.ts'
import { type AnswerTable, bytes, createLoopbackNode } from '../support/loopback-node.ts'
import proofs from '../vectors/network-proofs.json' with { type: 'json' }

const key = '11'.repeat(32)
const own = '0x19e7e376e7c213b7e7e7e46cc70a5dd086daff2a'
const other = '0x7e5f4552091a69125d5dfcb7b8c2659029395bdf'
const otherChecksum = '0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf'
const id = `st${'0'.repeat(30)}`
const id2 = `st${'1'.repeat(30)}`
const hash = 'ab'.repeat(32)
const dec = (text: string) => `${text}.000000000000000000`
const components = encodeMarketQuestion('price_above_threshold', { dataProvider: other, streamId: id, timestamp: 7 }, [
  '2',
])

/** A proof that a real node gave, in the form of the client. */
const [recorded] = proofs.rows
if (recorded === undefined) throw new Error('no recorded proof')
const { chain_id: chainId, created_at: createdAt, block_hash: blockHash, ...rest } = recorded
const recordedProof = { ...rest, chainId, blockHeight: Number(createdAt), blockHash }

interface Example {
  readonly params?: object
  /** Action and arguments that must arrive; in a write, those of its only call. */
  readonly action?: string
  readonly args?: readonly unknown[]
  readonly answer?: AnswerTable
  readonly result?: unknown
}

const row = '123e4567-e89b-42d3-a456-426614174000'
const marketObject = {
  settleTime: 100,
  settled: false,
  winningOutcome: null,
  maxSpread: 5,
  minOrderSize: 1,
  createdAt: 9,
}
const terms = { bridge: 'testnet_b', settleTime: 100, maxSpread: 5, minOrderSize: 1 }
const termArgs = [100n, 5n, 1n]
const question = { dataProvider: other, streamId: id, timestamp: 7, ...terms }
const positions = {
  answer: { rows: [[1n, true, -5n, 10n, 'buy_order']] },
  result: [{ queryId: 1, outcome: true, price: -5, amount: 10, positionType: 'buy_order' }],
}
const collateral = {
  answer: { rows: [['3', '1', '2']] },
  result: { totalLocked: '3', buyOrdersLocked: '1', sharesValue: '2' },
}
const side = { queryId: 1, outcome: true }
const read = (action: string, args: readonly unknown[]): Example => ({
  action,
  args,
  answer: { rows: [[5n, dec('1')]] },
  result: [{ date: 5, value: dec('1') }],
})
const setting = (name: string, value: string) => ({ action: 'insert_metadata', args: [own, id, name, value, 'int'] })
const allowing = (name: string, ref: string) => ({ action: 'insert_metadata', args: [own, id, name, ref, 'ref'] })
const found = { rows: [[row, 1n, null, null, 'primitive', other, 9n]] }
const visibility = (name: string): Example => ({
  params: { streamId: id, dataProvider: other },
  action: 'get_metadata',
  args: [other, id, name, null, 1n, null, 'created_at DESC'],
  answer: found,
  result: 'private',
})
const allowed = (name: string): Example => ({
  params: { streamId: id },
  action: 'get_metadata',
  args: [own, id, name, null, null, null, 'created_at DESC'],
  answer: found,
  result: [other],
})

const taxonomies = {
  answer: { rows: [[other, id, own, id2, dec('2'), 7n, 1n, 0n]] },
  result: [
    {
      dataProvider: other,
      streamId: id,
      childDataProvider: own,
      childStreamId: id2,
      weight: dec('2'),
      createdAt: 7,
      groupSequence: 1,
      startTime: 0,
    },
  ],
}
/** The rule of step 3 of the recorded scenario agents-771, and the wallet of step 41. */
const ruleVector = {
  agent: '0x15afc40a367b174187661d300f8d6328f561c9fd',
  owner: '0x2100439e049d47baad0147475a9cb9c55e6b7155',
  rulesHash: '0x08281ea226554227941a67795f9009b62bd39f1dc7bfe25b4ffa12364e352033',
  ruleId: '0xe9480ef76a058796759bcb3838eb51ac46b1fc1f12cf63fb1d86b47a72ee3cc1',
  wallet: '0x996b07fb766599486adde5ee490c828eed3f3828',
}

const examples: Readonly<Record<string, Example>> = {
  generate_stream_id: { params: { name: 'p1' }, result: 'stf64551fcd6f07823cb87971cfb9144' },
  deploy_stream: { params: { streamId: id }, action: 'create_stream', args: [id, 'primitive'] },
  batch_deploy_streams: {
    params: {
      definitions: [
        { streamId: id, streamType: 'primitive' },
        { streamId: id2, streamType: 'composed', allowZeros: true },
      ],
    },
    action: 'create_streams',
    args: [
      [id, id2],
      ['primitive', 'composed'],
      [false, true],
    ],
  },
  set_allow_zeros: { params: { streamId: id, flag: true }, action: 'set_allow_zeros', args: [own, id, true] },
  get_allow_zeros: {
    params: { streamId: id },
    action: 'get_allow_zeros',
    args: [own, id],
    answer: { rows: [[true]] },
    result: true,
  },
  destroy_stream: { params: { streamId: id }, action: 'delete_stream', args: [own, id] },
  wait_for_tx: {},
  get_transaction_input: {},
  get_transaction_market: {},
  batch_stream_exists: {
    params: { locators: [{ streamId: id, dataProvider: otherChecksum }] },
    action: 'stream_exists_batch',
    args: [[other], [id]],
    answer: { rows: [[other, id, true]] },
    result: [{ dataProvider: other, streamId: id, exists: true }],
  },
  batch_filter_streams_by_existence: {
    params: { locators: [{ streamId: id, dataProvider: other }], returnExisting: false },
    action: 'filter_streams_by_existence',
    args: [[other], [id], false],
    answer: { rows: [[other, id]] },
    result: [{ dataProvider: other, streamId: id }],
  },
  list_streams: {
    params: { limit: 2, offset: 1, orderBy: 'stream_id ASC', blockHeight: 3 },
    action: 'list_streams',
    args: ['', 2n, 1n, 'stream_id ASC', 3n],
    // Columns are read by name, in any order.
    answer: {
      columns: { created_at: 'int8', stream_type: 'text', stream_id: 'text', data_provider: 'text' },
      rows: [[9n, 'primitive', id, other]],
    },
    result: [{ dataProvider: other, streamId: id, streamType: 'primitive', createdAt: 9 }],
  },
  get_current_account: { result: '0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A' },
  get_type: {
    params: { streamId: id, dataProvider: other },
    action: 'get_metadata',
    args: [other, id, 'type', null, 1n, null, 'created_at DESC'],
    answer: found,
    result: 'primitive',
  },
  insert_record: {
    params: { streamId: id, record: { date: 5, value: 1.5 } },
    action: 'insert_record',
    args: [own, id, 5n, '1.500000000000000000'],
  },
  insert_records: {
    params: {
      streamId: id,
      records: [
        { date: 5, value: '1' },
        { date: 6n, value: '-2' },
      ],
    },
    action: 'insert_records',
    args: [
      [own, own],
      [id, id],
      [5n, 6n],
      [dec('1'), dec('-2')],
    ],
  },
  batch_insert_records: {
    params: {
      batches: [
        { streamId: id, inputs: [{ date: 5, value: 1 }] },
        { streamId: id2, inputs: [{ date: 6, value: 2 }] },
      ],
    },
    action: 'insert_records',
    args: [
      [own, own],
      [id, id2],
      [5n, 6n],
      [dec('1'), dec('2')],
    ],
  },
  get_records: {
    params: { streamId: id, dataProvider: other, dateFrom: 1, dateTo: 9, baseDate: 5 },
    ...read('get_record', [other, id, 1n, 9n, null]),
  },
  get_first_record: {
    params: { streamId: id, afterDate: 0, frozenAt: 4 },
    ...read('get_first_record', [own, id, null, 4n]),
    result: { date: 5, value: dec('1') },
  },
  get_last_record: {
    params: { streamId: id, beforeDate: 9, frozenAt: 4 },
    ...read('get_last_record', [own, id, 9n, 4n]),
    result: { date: 5, value: dec('1') },
  },
  get_high_value: {
    params: { streamId: id, dateFrom: 1, dateTo: 9 },
    ...read('get_high_value', [own, id, 1n, 9n, null]),
    result: { date: 5, value: dec('1') },
  },
  get_low_value: {
    params: { streamId: id },
    ...read('get_low_value', [own, id, null, null, null]),
    result: { date: 5, value: dec('1') },
  },
  get_index: { params: { streamId: id, baseDate: 3 }, ...read('get_index', [own, id, null, null, null, 3n]) },
  get_index_change: {
    params: { streamId: id, timeInterval: 60 },
    ...read('get_index_change', [own, id, null, null, null, null, 60n]),
  },
  call_procedure: {
    params: { procedure: 'get_market_info', args: [1] },
    action: 'get_market_info',
    args: [1n],
    answer: { columns: { a: 'int8', b: 'numeric', c: 'int8' }, rows: [[2n ** 62n, '0.1', 7n]] },
    result: { columnNames: ['a', 'b', 'c'], values: [[2n ** 62n, '0.1', 7]] },
  },
  execute_procedure: {
    params: { procedure: 'insert_record', args: [[own, id, 5, 1.5]] },
    action: 'insert_record',
    args: [own, id, 5n, '1.500000000000000000'],
  },
  set_taxonomy: {
    params: { streamId: id, childStreams: { [id2]: 0.5 }, startDate: 3 },
    action: 'insert_taxonomy',
    args: [own, id, [own], [id2], ['0.500000000000000000'], 3n],
  },
  describe_taxonomy: {
    params: { streamId: id },
    action: 'describe_taxonomies',
    args: [own, id, true],
    answer: { rows: [[own, id, other, id2, dec('1'), 9n, 1n, 0n]] },
    result: {
      streamId: id,
      childStreams: [
        { stream: { streamId: id2, dataProvider: other }, weight: dec('1'), startDate: 0, groupSequence: 1 },
      ],
      createdAt: 9,
    },
  },
  allow_compose_stream: { params: { streamId: id, parentStreamId: id2 }, ...allowing('allow_compose_stream', id2) },
  disable_compose_stream: { params: { streamId: id }, action: 'disable_metadata', args: [own, id, row], answer: found },
  set_compose_visibility: { params: { streamId: id, visibility: 'public' }, ...setting('compose_visibility', '0') },
  get_compose_visibility: visibility('compose_visibility'),
  get_allowed_compose_streams: allowed('allow_compose_stream'),
  set_read_visibility: { params: { streamId: id, visibility: 'private' }, ...setting('read_visibility', '1') },
  get_read_visibility: visibility('read_visibility'),
  allow_read_wallet: {
    params: { streamId: id, walletAddress: otherChecksum },
    ...allowing('allow_read_wallet', other),
  },
  disable_read_wallet: {
    params: { streamId: id, walletAddress: other },
    action: 'disable_metadata',
    args: [own, id, row],
    answer: found,
  },
  get_allowed_read_wallets: allowed('allow_read_wallet'),
  grant_role: {
    params: { owner: 'SYSTEM', roleName: 'Network_Writer', wallets: [otherChecksum] },
    action: 'grant_roles',
    args: ['system', 'network_writer', [other]],
  },
  revoke_role: {
    params: { owner: otherChecksum, roleName: 'r', wallets: [other] },
    action: 'revoke_roles',
    args: [other, 'r', [other]],
  },
  are_members_of: {
    params: { owner: 'system', roleName: 'r', wallets: [other] },
    action: 'are_members_of',
    args: ['system', 'r', [other]],
    answer: { rows: [[other, true]] },
    result: [{ wallet: other, isMember: true }],
  },
  list_role_members: {
    params: { owner: 'system', roleName: 'r' },
    action: 'list_role_members',
    args: ['system', 'r', 100n, 0n],
    answer: { rows: [[other, 5n, own]] },
    result: [{ wallet: other, grantedAt: 5, grantedBy: own }],
  },
  get_transaction_event: {
    params: { txId: hash.toUpperCase() },
    action: 'get_transaction_event',
    args: [`0x${hash}`],
    answer: { rows: [[`0x${hash}`, 5n, 'deployStream', own, '3', null, null, `${own}:1,${other}:2`]] },
    result: {
      txId: `0x${hash}`,
      blockHeight: 5,
      stampMs: 0,
      method: 'deployStream',
      caller: own,
      feeAmount: '3',
      feeRecipient: null,
      metadata: null,
      feeDistributions: [
        { recipient: own, amount: '1' },
        { recipient: other, amount: '2' },
      ],
    },
  },
  list_transaction_fees: {
    params: { wallet: other, mode: 'both', limit: 1000, offset: 3 },
    action: 'list_transaction_fees',
    args: [other, 'both', 1000n, 3n],
    answer: { rows: [[`0x${hash}`, 5n, 'm', own, '3', other, '{}', 1n, other, '3']] },
    result: [
      {
        txId: `0x${hash}`,
        blockHeight: 5,
        method: 'm',
        caller: own,
        totalFee: '3',
        feeRecipient: other,
        metadata: '{}',
        distributionSequence: 1,
        distributionRecipient: other,
        distributionAmount: '3',
      },
    ],
  },
  get_history: {
    params: { bridgeIdentifier: 'eth_main', walletAddress: other },
    action: 'eth_truf_get_history',
    args: [other, 20n, 0n],
    answer: {
      rows: [['deposit', '9'.repeat(78), null, bytes(other.slice(2)), null, bytes(hash), 'completed', 5n, 6n, null]],
    },
    result: [
      {
        type: 'deposit',
        amount: '9'.repeat(78),
        fromAddress: null,
        toAddress: other,
        internalTxHash: null,
        externalTxHash: 'q6urq6urq6urq6urq6urq6urq6urq6urq6urq6urq6s=',
        status: 'completed',
        blockHeight: 5,
        blockTimestamp: 6,
        externalBlockHeight: null,
      },
    ],
  },
  create_price_above_threshold_market: {
    params: { ...question, threshold: '2' },
    action: 'create_market',
    args: ['hoodi_tt2', components, ...termArgs],
  },
  create_price_below_threshold_market: { params: { ...question, threshold: '2' }, action: 'create_market' },
  create_value_in_range_market: { params: { ...question, minValue: '1', maxValue: '2' }, action: 'create_market' },
  create_value_equals_market: { params: { ...question, target: '1', tolerance: '0.1' }, action: 'create_market' },
  create_market: {
    params: { queryComponents: components, ...terms, bridge: 'ethereum_bridge' },
    action: 'create_market',
    args: ['ethereum_bridge', components, ...termArgs],
  },
  get_market_info: {
    params: { queryId: 4 },
    action: 'get_market_info',
    args: [4n],
    answer: {
      rows: [[bytes(hash), components, 'hoodi_tt2', 100n, false, null, null, 5n, 1n, 9n, bytes(own.slice(2))]],
    },
    result: {
      id: 4,
      hash: bytes(hash),
      queryComponents: components,
      bridge: 'hoodi_tt2',
      ...marketObject,
      settledAt: null,
      creator: bytes(own.slice(2)),
    },
  },
  get_market_by_hash: {
    params: { hash: bytes(hash) },
    action: 'get_market_by_hash',
    args: [bytes(hash)],
    answer: { rows: [[4n, 100n, false, null, 7n, 5n, 1n, 9n, bytes(own.slice(2))]] },
    result: { id: 4, ...marketObject, settledAt: 7, creator: bytes(own.slice(2)) },
  },
  market_exists: {
    params: { hash: bytes(hash) },
    action: 'market_exists',
    args: [bytes(hash)],
    answer: { rows: [[true]] },
    result: true,
  },
  list_markets: {
    params: { settledFilter: 'active' },
    action: 'list_markets',
    args: [false, 100n, 0n],
    answer: { rows: [[4n, bytes(hash), 100n, false, null, 5n, 1n, 9n]] },
    result: [{ id: 4, hash: bytes(hash), ...marketObject }],
  },
  decode_market_data: {
    params: { queryComponents: components },
    result: {
      dataProvider: otherChecksum,
      streamId: id,
      actionId: 'price_above_threshold',
      type: 'above',
      thresholds: [dec('2')],
    },
  },
  decode_query_components: {
    params: { queryComponents: components },
    result: expect.objectContaining({ dataProvider: otherChecksum, streamId: id, actionId: 'price_above_threshold' }),
  },
  encode_query_components: {
    params: { dataProvider: other, streamId: id, actionId: 'price_above_threshold', args: new Uint8Array() },
    result: expect.any(Uint8Array),
  },
  encode_action_args: { params: { args: [1, null] }, result: encodeActionArgs([1, null]) },
  hash_query_components: { params: { queryComponents: components }, result: expect.any(Uint8Array) },
  settle_market: { params: { queryId: 4 }, action: 'settle_market', args: [4n] },
  validate_market_collateral: {
    params: { queryId: 4 },
    action: 'validate_market_collateral',
    args: [4n],
    answer: { rows: [[true, true, 1n, 2n, '3', '4', 2n ** 40n]] },
    result: {
      validTokenBinaries: true,
      validCollateral: true,
      totalTrue: 1,
      totalFalse: 2,
      vaultBalance: '3',
      expectedCollateral: '4',
      openBuysValue: 2 ** 40,
    },
  },
  get_distribution_summary: { params: { queryId: 4 }, action: 'get_distribution_summary', args: [4n], result: null },
  get_distribution_details: {
    params: { distributionId: 4 },
    action: 'get_distribution_details',
    args: [4n],
    result: [],
  },
  get_participant_reward_history: {
    params: { wallet: other },
    action: 'get_participant_reward_history',
    args: [other],
    result: [],
  },
  place_buy_order: {
    params: { ...side, price: 56, amount: 10 },
    action: 'place_buy_order',
    args: [1n, true, 56n, 10n],
  },
  place_sell_order: {
    params: { ...side, price: 99, amount: 1 },
    action: 'place_sell_order',
    args: [1n, true, 99n, 1n],
  },
  place_split_limit_order: {
    params: { queryId: 1, truePrice: 56, amount: 10 },
    action: 'place_split_limit_order',
    args: [1n, 56n, 10n],
  },
  cancel_order: { params: { ...side, price: -56 }, action: 'cancel_order', args: [1n, true, -56n] },
  change_bid: {
    params: { ...side, oldPrice: -56, newPrice: -57, newAmount: 3 },
    action: 'change_bid',
    args: [1n, true, -56n, -57n, 3n],
  },
  change_ask: {
    params: { ...side, oldPrice: 56, newPrice: 57, newAmount: 3 },
    action: 'change_ask',
    args: [1n, true, 56n, 57n, 3n],
  },
  get_order_book: {
    params: side,
    action: 'get_order_book',
    args: [1n, true],
    answer: { rows: [[1n, -56n, 10n, 5n, other]] },
    result: [{ participantId: 1, price: -56, amount: 10, lastUpdated: 5, walletAddress: bytes(other.slice(2)) }],
  },
  get_user_positions: { action: 'get_user_positions', args: [], ...positions },
  get_positions_by_wallet: {
    params: { wallet: other },
    action: 'get_positions_by_wallet',
    args: [other],
    ...positions,
  },
  get_market_depth: {
    params: side,
    action: 'get_market_depth',
    args: [1n, true],
    answer: { rows: [[5n, 1n, 2n]] },
    result: [{ price: 5, buyVolume: 1, sellVolume: 2, totalAmount: 3 }],
  },
  get_full_market_depth: {
    params: { queryId: 1 },
    action: 'get_full_market_depth',
    args: [1n],
    answer: { rows: [[true, 5n, 1n, 2n]] },
    result: [{ outcome: true, price: 5, buyVolume: 1, sellVolume: 2, totalAmount: 3 }],
  },
  get_order_events_by_wallet: {
    params: { wallet: otherChecksum, queryId: 4, limit: 5 },
    action: 'get_order_events_by_wallet',
    args: [other, 4n, 5n, 0n],
    answer: { rows: [[1n, 4n, 'buy_placed', true, -5n, 2n, other, null, 7n, 8n]] },
    result: [
      {
        id: 1,
        queryId: 4,
        eventType: 'buy_placed',
        outcome: true,
        price: -5,
        amount: 2,
        walletAddress: other,
        counterpartyAddress: null,
        blockHeight: 7,
        blockTimestamp: 8,
      },
    ],
  },
  get_best_prices: {
    params: side,
    action: 'get_best_prices',
    args: [1n, true],
    answer: { rows: [[5n, null, null]] },
    result: { bestBid: 5, bestAsk: null, spread: null },
  },
  get_user_collateral: {
    params: { bridge: 'testnet_b' },
    action: 'get_user_collateral',
    args: ['hoodi_tt2'],
    ...collateral,
  },
  get_collateral_by_wallet: {
    params: { wallet: other, bridge: 'testnet_b' },
    action: 'get_collateral_by_wallet',
    args: [other, 'hoodi_tt2'],
    ...collateral,
  },
  request_attestation: {
    params: { dataProvider: other, streamId: id, actionName: 'get_last_record', args: [other, id, null], maxFee: '40' },
    action: 'request_attestation',
    args: [other, id, 'get_last_record', encodeActionArgs([other, id, null]), false, '40'],
  },
  get_signed_attestation: {
    params: { requestTxId: `0x${hash.toUpperCase()}` },
    action: 'get_signed_attestation',
    args: [hash],
    answer: { rows: [[bytes(hash)]] },
    result: bytes(hash),
  },
  list_attestations: {
    params: { requester: other, limit: 5, requestTxId: `0x${hash}` },
    action: 'list_attestations',
    args: [bytes(other.slice(2)), hash, null, null, 5n, 0n, null],
    result: [],
  },
  parse_attestation_payload: {
    params: {
      payload: bytes(
        `01000000000000003039${'00000014'}${'01'.repeat(20)}00000020${'61'.repeat(32)}0006${'00000000'}00000020${'00'.repeat(31)}01`,
      ),
    },
    result: expect.objectContaining({ blockHeight: 12345, actionId: 6, result: [{ values: [true] }] }),
  },
  verify_attestation_signature: {
    params: {
      attestation: bytes(
        '01000000000000003039000000140102030405060708090a0b0c0d0e0f1011121314000000207374616930303030303030303030303030303030303030303030303030303030000600000028010000002000000000000f0000000000000000047465787400000000000100050000000174657374000000200000000000000000000000000000000000000000000000000000000000000001' +
          '0010983b48187eda3071c4471c5718a4b1b988e1aa7115b18b313b5a0d47d19a41cffcb5ad76ce1c7efedddf8dd4c8d08b2122133fb2c60ff0c1bdc42f587ef81b',
      ),
    },
    result: expect.objectContaining({ validatorAddress: otherChecksum }),
  },
  get_wallet_balance: {
    params: { bridgeIdentifier: 'testnet_a', walletAddress: other },
    action: 'hoodi_tt_wallet_balance',
    args: [other],
    answer: { rows: [['12']] },
    result: '12',
  },
  withdraw: {
    params: { bridgeIdentifier: 'eth_stable', amount: '5', recipient: otherChecksum },
    action: 'eth_usdc_bridge_tokens',
    args: [other, '5'],
  },
  transfer: {
    params: { bridgeIdentifier: 'ethereum_bridge', recipient: other, amount: '5' },
    action: 'ethereum_transfer',
    args: [other, '5'],
  },
  get_ordered_balances: {
    params: { token: 'USDC', ascending: true, limit: 2, minBalance: '7' },
    action: 'get_ordered_balances',
    args: ['USDC', true, 2n, '7'],
    answer: { rows: [[other, '8']] },
    result: [{ address: other, balance: '8' }],
  },
  verify_withdrawal_proof: {
    params: { proof: recordedProof },
    result: { validators: [toChecksumAddress(parseAddress(proofs.validator))] },
  },
  get_last_transactions: {
    params: { dataProvider: other, limit: 3 },
    action: 'get_last_transactions',
    args: [other, 3n],
    answer: { rows: [[`0x${hash}`, 7n, 'deployStream', other, '0', null, null, 0n, null, null]] },
    result: [
      {
        txId: `0x${hash}`,
        blockHeight: 7,
        stampMs: 0,
        method: 'deployStream',
        caller: other,
        feeAmount: '0',
        feeRecipient: null,
        metadata: null,
        distributionSequence: 0,
        distributionRecipient: null,
        distributionAmount: null,
      },
    ],
  },
  whoami: { action: 'whoami', args: [], answer: { rows: [[own]] }, result: own },
  get_database_size: { action: 'get_database_size_v2', args: [], answer: { rows: [[9n]] }, result: 9n },
  get_database_size_pretty: {
    action: 'get_database_size_v2_pretty',
    args: [],
    answer: { rows: [['22 GB']] },
    result: '22 GB',
  },
  get_consolidated_order_book: {
    params: { queryId: 1 },
    action: 'get_full_market_depth',
    args: [1n],
    answer: {
      rows: [
        [true, 40n, 5n, 0n],
        [true, 45n, 0n, 7n],
        [false, 55n, 2n, 0n],
        [false, 60n, 0n, 3n],
      ],
    },
    result: {
      queryId: 1,
      outcome: true,
      bids: [{ price: 40, total: 8, native: 5, inverse: 3 }],
      asks: [{ price: 45, total: 9, native: 7, inverse: 2 }],
      isCrossed: false,
    },
  },
  get_market_forecast: {},
  sample_lp_rewards: { params: { queryId: 1, block: 50 }, action: 'sample_lp_rewards', args: [1n, 50n] },
  disable_taxonomy: { params: { streamId: id, groupSequence: 2 }, action: 'disable_taxonomy', args: [own, id, 2n] },
  get_taxonomies_for_streams: {
    params: { locators: [{ streamId: id, dataProvider: other }], latestOnly: true },
    action: 'get_taxonomies_for_streams',
    args: [[other], [id], true],
    ...taxonomies,
  },
  list_taxonomies_by_height: {
    params: { fromHeight: 3, limit: 2 },
    action: 'list_taxonomies_by_height',
    args: [3n, null, 2n, 0n, false],
    ...taxonomies,
  },
  list_metadata_by_height: {
    params: { key: 'stream_owner', ref: other, toHeight: 9 },
    action: 'list_metadata_by_height',
    args: ['stream_owner', other, null, 9n, 1000n, 0n],
    answer: { rows: [[id, other, row, null, null, null, null, other, 4n]] },
    result: [
      {
        streamId: id,
        dataProvider: other,
        rowId: row,
        valueI: null,
        valueF: null,
        valueB: null,
        valueS: null,
        valueRef: other,
        createdAt: 4,
      },
    ],
  },
  get_stream_owner: {
    params: { streamId: id, dataProvider: other },
    action: 'get_metadata',
    args: [other, id, 'stream_owner', null, 1n, null, 'created_at DESC'],
    answer: found,
    result: other,
  },
  set_default_base_time: { params: { streamId: id, baseTime: 5 }, ...setting('default_base_time', '5') },
  list_wallet_rewards: {
    params: { bridgeIdentifier: 'testnet_legacy', wallet: other, withPending: true },
    action: 'list_wallet_rewards',
    args: [other, true],
    answer: {
      columns: {
        chain: 'text',
        chain_id: 'text',
        contract: 'text',
        created_at: 'int8',
        param_recipient: 'text',
        param_amount: 'numeric',
        param_block_hash: 'bytea',
        param_root: 'bytea',
        param_proofs: 'bytea[]',
        param_signatures: 'bytea[]',
      },
      rows: [['sepolia', '11155111', other, 5n, other, '7', bytes('01'), bytes('02'), [bytes('03')], []]],
    },
    result: [
      {
        chain: 'sepolia',
        chainId: '11155111',
        contract: other,
        createdAt: 5,
        paramRecipient: other,
        paramAmount: '7',
        paramBlockHash: bytes('01'),
        paramRoot: bytes('02'),
        paramProofs: [bytes('03')],
        paramSignatures: [],
      },
    ],
  },
  create_agent_rule: {
    params: { feeMode: 'bps', feeBps: 250, actions: [{ action: 'place_buy_order' }], salt: bytes('aa') },
    action: 'maa_create_rule',
    args: [bytes('aa'), 'bps', 250n, '0', ['main'], ['place_buy_order'], [null]],
  },
  derive_agent_rule: {
    params: { agent: ruleVector.agent, feeMode: 'bps', feeBps: 10_000, feeFlat: '7' },
    result: { ruleId: ruleVector.ruleId, rulesHash: ruleVector.rulesHash },
  },
  derive_agent_wallet: {
    params: { owner: ruleVector.owner, agent: ruleVector.agent, ruleId: ruleVector.ruleId },
    result: ruleVector.wallet,
  },
  join_agent_address: { params: { ruleId: hash }, action: 'maa_join', args: [bytes(hash)] },
  join_and_fund_agent_address: {
    params: { ruleId: `0x${hash}`, bridgeIdentifier: 'testnet_b', amount: '5' },
    action: 'maa_join_and_fund',
    args: [bytes(hash), 'hoodi_tt2', '5'],
  },
  execute_agent_action: {
    params: { wallet: other, action: 'cancel_order', args: [1, true, -5] },
    action: 'cancel_order',
    args: [1n, true, -5n],
  },
  withdraw_from_agent_wallet: {
    params: { wallet: other, bridgeIdentifier: 'testnet_a', amount: '5' },
    action: 'maa_withdraw',
    args: ['hoodi_tt', '5'],
  },
  bridge_out_of_agent_wallet: {
    params: { wallet: other, bridgeIdentifier: 'testnet_a', amount: '5', recipient: otherChecksum },
    action: 'maa_bridge_out',
    args: ['hoodi_tt', '5', other],
  },
  get_agent_rule: {
    params: { ruleId: hash },
    action: 'maa_get_rule',
    args: [bytes(hash)],
    answer: { rows: [[`0x${hash}`, other, `0x${hash}`, 'flat', 0n, '3', 9n]] },
    result: {
      ruleId: `0x${hash}`,
      restricted: other,
      rulesHash: `0x${hash}`,
      feeMode: 'flat',
      feeBps: 0,
      feeFlat: '3',
      createdAt: 9,
    },
  },
  get_agent_rule_allowed_actions: {
    params: { ruleId: hash },
    action: 'maa_get_allowed_actions',
    args: [bytes(hash)],
    answer: { rows: [['main', 'whoami', null]] },
    result: [{ namespace: 'main', action: 'whoami', bodyHash: null }],
  },
  get_agent_wallet: {
    params: { wallet: other },
    action: 'maa_get_instance',
    args: [bytes(other.slice(2))],
    answer: { rows: [[other, `0x${hash}`, own, other, 3n]] },
    result: { maaAddress: other, ruleId: `0x${hash}`, restricted: own, unrestricted: other, createdAt: 3 },
  },
  is_agent_wallet: {
    params: { wallet: other },
    action: 'maa_is_known',
    args: [bytes(other.slice(2))],
    answer: { rows: [[true]] },
    result: true,
  },
  get_agent_wallet_balance: {
    params: { wallet: other, bridgeIdentifier: 'testnet_b' },
    action: 'maa_get_balance',
    args: [bytes(other.slice(2)), 'hoodi_tt2'],
    answer: { rows: [['12']] },
    result: '12',
  },
  list_agent_rules_by_restricted: {
    params: { agent: other },
    action: 'maa_list_by_restricted',
    args: [other, 100n, 0n],
    answer: { rows: [[`0x${hash}`, 3n]] },
    result: [{ ruleId: `0x${hash}`, createdAt: 3 }],
  },
  list_agent_wallets_by_owner: {
    params: { owner: other, limit: 2 },
    action: 'maa_list_by_unrestricted',
    args: [other, 2n, 0n],
    answer: { rows: [[other, `0x${hash}`, 3n]] },
    result: [{ maaAddress: other, ruleId: `0x${hash}`, createdAt: 3 }],
  },
  list_agent_wallets_by_rule: {
    params: { ruleId: hash },
    action: 'maa_list_instances_by_rule',
    args: [bytes(hash), 100n, 0n],
    answer: { rows: [[other, own, 3n]] },
    result: [{ maaAddress: other, unrestricted: own, createdAt: 3 }],
  },
  get_agent_rule_events: {
    params: { ruleId: hash },
    action: 'maa_get_events',
    args: [bytes(hash), 100n, 0n],
    answer: { rows: [[1n, null, 'CREATE_RULE', 'restricted', own, null, null, null, `0x${hash}`, 3n, 4n]] },
    result: [
      {
        id: 1,
        maaAddress: null,
        eventType: 'CREATE_RULE',
        actorRole: 'restricted',
        actorAddr: own,
        innerNamespace: null,
        innerAction: null,
        amount: null,
        txHash: `0x${hash}`,
        blockHeight: 3,
        blockTimestamp: 4,
      },
    ],
  },
  get_withdrawal_proof: {
    params: { bridgeIdentifier: 'eth_main', wallet: other },
    action: 'eth_truf_get_withdrawal_proof',
    args: [other],
    answer: {
      rows: [['eth', '1', other, 77n, other, '5', bytes('00'), bytes('01'), [bytes('02')], [bytes('03'), bytes('04')]]],
    },
    result: [
      {
        chain: 'eth',
        chainId: '1',
        contract: other,
        recipient: other,
        amount: '5',
        blockHeight: 77,
        blockHash: 'AA==',
        root: 'AQ==',
        proofs: ['Ag=='],
        signatures: ['Aw==', 'BA=='],
      },
    ],
  },
}

/** Calls an operation whose parameters the table above holds untyped. */
const perform = (client: NetClient, operation: OperationName, params?: object): unknown =>
  (client[operation] as (given?: object) => unknown)(params)

test('there is an example of every operation', () => {
  expect(Object.keys(examples).sort()).toEqual(catalogue.map(({ name }) => name).sort())
})

/** These ask for a transaction, or for the answers of several actions; they have other tests. */
const tested = new Set(['wait_for_tx', 'get_transaction_input', 'get_transaction_market', 'get_market_forecast'])

describe.each(catalogue.filter(({ name }) => !tested.has(name)))('$name', ({ name, operation, kind }) => {
  const { params, action = '', args, answer, result } = examples[name] ?? {}

  test('sends its arguments and reads its answer', async () => {
    const node = createLoopbackNode()
    if (answer) node.answers.set(kind === 'view' ? action : 'get_metadata', answer)
    const client = new NetClient(node.endpoint, key, { platform: node.platform })
    const received = await perform(client, operation, params)
    if (kind === 'execute') {
      const [sent] = node.executed
      expect(node.executed).toHaveLength(1)
      expect(sent?.action).toBe(action)
      expect(sent?.calls).toHaveLength(1)
      if (args) expect(sent?.calls[0]?.map(({ value }) => value)).toEqual(args)
      expect(received).toBe([...node.included.keys()][0])
    } else {
      expect(received).toEqual(result)
    }
    if (kind === 'view') {
      expect(node.called[0]?.action).toBe(action)
      expect(node.called[0]?.args.map(({ value }) => value)).toEqual(args)
      expect(node.called[0]?.sender).toBe(own.slice(2))
    }
    if (kind === 'local') expect(node.requests).toEqual([])
  })

  if (kind === 'view') {
    test('turns the text of an error into an error, not into an empty success', async () => {
      const node = createLoopbackNode()
      node.answers.set(action, { error: 'something broke' })
      const client = new NetClient(node.endpoint, key, { platform: node.platform })
      await expect(perform(client, operation, params)).rejects.toMatchObject({
        code: 'action_failed',
        data: { action, reason: 'something broke' },
      })
    })

    if (answer) {
      test('refuses an answer without its columns', async () => {
        const node = createLoopbackNode()
        node.answers.set(action, { columns: { unknown: 'bool' }, rows: [[true]] })
        const client = new NetClient(node.endpoint, key, { platform: node.platform })
        const received = perform(client, operation, params)
        if (name === 'call_procedure') await expect(received).resolves.toMatchObject({ values: [[true]] })
        else await expect(received).rejects.toMatchObject({ code: 'malformed_response' })
      })
    }
  }
})

test('wait_for_tx returns the receipt', async () => {
  const node = createLoopbackNode()
  const client = new NetClient(node.endpoint, key, { platform: node.platform })
  const txHash = await client.deployStream({ streamId: id, wait: false })
  expect(await client.waitForTx({ txHash: `0x${txHash}` })).toEqual({ hash: txHash, height: 101, code: 0, log: '' })
  await expect(client.waitForTx({ txHash: 'ab' })).rejects.toMatchObject({ code: 'invalid_argument' })
  await expect(client.waitForTx({ txHash: hash, timeoutMs: 2000 })).rejects.toMatchObject({ code: 'timeout' })
})

test('get_transaction_input gives the call and its exact arguments, get_transaction_market the market', async () => {
  const node = createLoopbackNode()
  const client = new NetClient(node.endpoint, key, { platform: node.platform })
  const market = { ...question, threshold: '2' }
  const txId = await client.createPriceAboveThresholdMarket(market)
  expect(await client.getTransactionInput({ txId: `0x${txId}` })).toEqual({
    namespace: '',
    action: 'create_market',
    arguments: [['hoodi_tt2', components, ...termArgs]],
  })
  expect(await client.getTransactionMarket({ txId })).toEqual({
    bridge: 'hoodi_tt2',
    queryComponents: components,
    market: client.decodeMarketData({ queryComponents: components }),
    settleTime: 100,
    maxSpread: 5,
    minOrderSize: '1',
  })
  const other = await client.executeProcedure({
    procedure: 'create_market',
    args: [['hoodi_tt2', bytes('00'), 1, 5, 1]],
  })
  expect(await client.getTransactionMarket({ txId: other })).toMatchObject({ market: null, settleTime: 1 })
  const deployed = await client.deployStream({ streamId: id })
  expect(await client.getTransactionMarket({ txId: deployed })).toBeNull()
  const run = await client.executeAgentAction({ wallet: own, action: 'cancel_order', args: [1, true, -5] })
  expect(await client.getTransactionInput({ txId: run })).toEqual({
    namespace: 'main',
    action: 'cancel_order',
    arguments: [[1n, true, -5n]],
  })
  await expect(client.getTransactionInput({ txId: hash })).rejects.toMatchObject({ code: 'transaction_not_found' })
  await expect(client.getTransactionInput({ txId: '' })).rejects.toThrow('tx_id is required')
})

test.each([
  [{ feeMode: 'BPS' }, "feeMode must be 'bps' or 'flat'"],
  [{ feeMode: 'bps', feeBps: 10_001 }, 'feeBps must be between 0 and 10000 (10000 = 100%), got 10001'],
  [{ feeMode: 'flat', feeFlat: '-1' }, 'fee_flat must be a whole number below 2^256'],
  [{ feeMode: 'bps', actions: [{ action: 'a' }, { action: 'a', namespace: 'main' }] }, 'actions must not repeat'],
  [
    { feeMode: 'bps', actions: [{ action: 'a', bodyHash: bytes('00') }] },
    'body_hash for main.a must be 32 bytes, got 1',
  ],
  [{ feeMode: 'bps', actions: [{ action: 'w'.repeat(256) }] }, 'length-prefixed field exceeds 255 bytes (got 256)'],
])('create_agent_rule refuses %j and sends nothing', async (terms, message) => {
  const node = createLoopbackNode()
  const client = new NetClient(node.endpoint, key, { platform: node.platform })
  await expect(perform(client, 'createAgentRule', terms)).rejects.toThrow(message)
  expect(node.requests).toEqual([])
})
