/** Orders against the published scenarios of the network's own tests, and what is refused. */

import { describe, expect, test } from 'vitest'
import { keys, type TestNode } from '../../support/devnode.ts'
import {
  balanceOf,
  openMarket,
  positionsOf,
  questionOf,
  startMarketNode,
  token,
  trader,
} from '../../support/markets.ts'
import vectors from '../../vectors/streams-vectors.json' with { type: 'json' }

type Step = readonly (string | number)[]
interface Scenario {
  readonly id: string
  readonly steps: readonly Step[]
  readonly expected: Readonly<Record<string, unknown>>
}

const scenarios = vectors.vectors
  .filter(({ group, input }) => group === 'order_book' && 'steps' in (input as object))
  .map(({ id, input, expected }) => ({ id, expected, steps: (input as { steps: Step[] }).steps }) as Scenario)
  .filter(({ steps }) => steps.every(([first]) => first !== 'settle'))

function run(node: TestNode, market: number, [name, action, ...rest]: Step): void {
  const signer = trader(String(name))
  const isYes = rest[0] === 'YES'
  if (action === 'buy') node.must(signer, 'place_buy_order', market, isYes, Number(rest[1]), Number(rest[2]))
  if (action === 'sell') node.must(signer, 'place_sell_order', market, isYes, Number(rest[1]), Number(rest[2]))
  if (action === 'split') node.must(signer, 'place_split_limit_order', market, Number(rest[0]), Number(rest[1]))
  if (action === 'cancel') node.must(signer, 'cancel_order', market, isYes, Number(rest[1]))
}

/** A vector names holdings and orders as `YES_holding` and `NO_order_-44`. */
function matchesPositions(positions: Record<string, number>, wanted: Readonly<Record<string, unknown>>): void {
  for (const [name, amount] of Object.entries(wanted)) {
    const [outcome, kind, price] = name.split('_')
    if (kind === 'holding') expect(positions[`${outcome} 0`]).toBe(amount)
    if (kind === 'order') expect(positions[`${outcome} ${price}`]).toBe(amount)
    if (name === 'orders') expect(Object.keys(positions).filter((key) => !key.endsWith(' 0'))).toEqual([])
  }
}

describe('placeBuy, placeSell, placeSplit, cancel and matchOrders', () => {
  test.each(scenarios)('$id', ({ steps, expected }) => {
    const names = [...new Set(steps.map(([name]) => String(name)))]
    const node = startMarketNode(names)
    const market = openMarket(node)
    const before = new Map<string, number>()
    for (const step of steps) {
      for (const name of names) before.set(`${name} ${steps.indexOf(step)}`, balanceOf(node, name))
      run(node, market, step)
    }
    const start = (name: string, index: number) => before.get(`${name} ${index}`) ?? 0
    for (const [name, wanted] of Object.entries(expected)) {
      if (typeof wanted === 'object' && wanted !== null)
        matchesPositions(positionsOf(node, name), wanted as Readonly<Record<string, unknown>>)
    }
    const last = steps.length - 1
    if ('B_net_change' in expected) {
      // B's split costs a dollar a pair and the burn gives B what its NO was offered at.
      const gained = balanceOf(node, 'A') - start('A', last)
      expect(gained).toBe(Number(expected.A_balance_change_from_burn))
      expect(balanceOf(node, 'B') - start('B', last)).toBe(Number(expected.B_net_change))
    }
    if (expected.sell_orders_left === 0) expect(node.view('get_order_book', [market, true])).toEqual([])
    const cost = (expected.B as { cost?: string } | undefined)?.cost
    if (cost !== undefined) expect(start('B', last) - balanceOf(node, 'B')).toBe(Number(cost))
    expect(node.view('validate_market_collateral', [market])[0]?.slice(0, 2)).toEqual([true, true])
  })

  test('there are scenarios at all', () => expect(scenarios.length).toBeGreaterThanOrEqual(8))
})

describe('an order that is refused', () => {
  const node = startMarketNode(['A', 'B'])
  const market = openMarket(node)
  node.must(trader('A'), 'place_split_limit_order', market, 60, 10)
  node.must(trader('B'), 'place_buy_order', market, true, 30, 5)
  const overflow = 2n ** 63n - 1n
  const lockText =
    'extension implementation error: extension method "lock" expected argument 1 to be non-null, but got null'
  const nullText = (column: string) =>
    `null value in column "${column}" of relation "ob_positions" violates not-null constraint (SQLSTATE 23502)`
  const maximum = 'amount exceeds maximum allowed of 1,000,000,000'

  test.each([
    ['place_buy_order', 'A', [null, true, 50, 1], ''],
    ['place_buy_order', 'A', [99, true, 50, 1], 'Market does not exist (query_id: 99)'],
    ['place_buy_order', 'A', [-1, true, 50, 1], 'Market does not exist (query_id: -1)'],
    ['place_buy_order', 'A', [overflow, true, 50, 1], `Market does not exist (query_id: ${overflow})`],
    ['place_buy_order', 'A', [market, null, 50, 1], 'outcome is required (TRUE for YES, FALSE for NO)'],
    ['place_buy_order', 'A', [market, true, 0, 1], 'price must be between 1 and 99 ($0.01 to $0.99)'],
    ['place_buy_order', 'A', [market, true, 100, 1], 'price must be between 1 and 99 ($0.01 to $0.99)'],
    ['place_buy_order', 'A', [market, true, -overflow, 1], 'price must be between 1 and 99 ($0.01 to $0.99)'],
    ['place_buy_order', 'A', [market, true, 50, 0], 'amount must be positive'],
    ['place_buy_order', 'A', [market, true, 50, 1_000_000_001], maximum],
    ['place_buy_order', 'A', [market, true, 50, overflow], maximum],
    ['place_buy_order', 'A', [market, true, null, 1], lockText],
    ['place_buy_order', 'A', [market, true, 50, null], lockText],
    [
      'place_buy_order',
      'C',
      [market, true, 50, 5],
      'Insufficient balance. Required: 2500000000000000000 base units ($3)',
    ],
    ['place_sell_order', 'C', [market, true, 50, 5], 'No shares found. You must own shares before selling.'],
    [
      'place_sell_order',
      'B',
      [market, true, 50, 5],
      'No shares found. You must own shares of the specified outcome before selling.',
    ],
    ['place_sell_order', 'A', [market, true, 50, 11], 'Insufficient shares. You own: 10 shares, trying to sell: 11'],
    ['place_sell_order', 'A', [market, true, null, 1], nullText('price')],
    ['place_sell_order', 'A', [market, true, 50, null], nullText('amount')],
    ['place_split_limit_order', 'A', [market, 0, 1], 'true_price must be between 1 and 99 ($0.01 to $0.99)'],
    ['place_split_limit_order', 'A', [market, null, 1], nullText('price')],
    ['place_split_limit_order', 'A', [market, 50, null], lockText],
    [
      'place_split_limit_order',
      'A',
      [market, 50, 1_000_000_000],
      `Insufficient balance. Required: ${10n ** 27n} base units ($1000000000)`,
    ],
    ['cancel_order', 'A', [market, null, 40], 'Outcome must be specified (TRUE for YES, FALSE for NO)'],
    [
      'cancel_order',
      'A',
      [market, true, 0],
      'Price must be between -99 and 99 (excluding 0). Holdings (price=0) cannot be cancelled.',
    ],
    ['cancel_order', 'A', [market, false, -40], 'Order not found or does not belong to you'],
    ['cancel_order', 'B', [market, false, 40], 'Order not found or does not belong to you'],
    ['cancel_order', 'A', [market, false, null], 'Order not found or does not belong to you'],
    ['cancel_order', 'C', [market, false, 40], 'No participant record found for this wallet'],
    ['change_bid', 'B', [market, true, 30, -31, 5], 'Old price must be negative (buy order) between -99 and -1'],
    ['change_bid', 'B', [market, true, -30, 31, 5], 'New price must be negative (buy order) between -99 and -1'],
    [
      'change_bid',
      'B',
      [market, true, -30, -30, 5],
      'New price must differ from old price. Use cancel_order() to remove an order.',
    ],
    ['change_bid', 'B', [market, true, -30, -31, 0], 'New amount must be positive'],
    ['change_bid', 'B', [market, true, -30, -31, overflow], maximum],
    ['change_bid', 'B', [market, true, -29, -31, 5], 'Old order not found at specified price'],
    ['change_bid', 'B', [market, true, -30, -99, 1_000_000_000], 'insufficient balance'],
    ['change_bid', 'B', [market, true, -30, null, 5], nullText('price')],
    ['change_bid', 'B', [market, true, -30, -31, null], nullText('amount')],
    ['change_bid', 'C', [market, true, -30, -31, 5], 'No participant record found for this wallet'],
    ['change_ask', 'A', [market, false, -40, 41, 10], 'Old price must be positive (sell order) between 1 and 99'],
    [
      'change_ask',
      'C',
      [market, false, 40, 41, 10],
      'No participant record found for this wallet. You must own shares before selling.',
    ],
    [
      'change_ask',
      'A',
      [market, false, 40, 41, 11],
      'Insufficient shares in holdings. Need 1 more shares, but only have 0 in holdings.',
    ],
  ] as const)('%s of %s with %s', (action, name, args, text) => {
    const state = () => [
      node.view('get_full_market_depth', [market]),
      node.view('validate_market_collateral', [market]),
      ['A', 'B', 'C'].map((one) => [balanceOf(node, one), positionsOf(node, one)]),
    ]
    const before = state()
    const { code, log } = node.execute(trader(name), action, args)
    expect(log.replace(/^ERROR: /, '')).toBe(text)
    expect(code).toBe(65535)
    expect(state()).toEqual(before)
  })
})

describe('the time of a market', () => {
  test('closes it to orders and changes, not to cancelling', () => {
    const node = startMarketNode(['A'])
    const market = openMarket(node)
    node.must(trader('A'), 'place_buy_order', market, true, 30, 5)
    node.rpc('dev.setNextBlockTimestamp', { timestamp: 1_760_001_000 })
    const closed = 'ERROR: Trading is closed. Market has passed its settlement time.'
    expect(node.execute(trader('A'), 'place_buy_order', [market, true, 30, 5]).log).toBe(closed)
    expect(node.execute(trader('A'), 'change_bid', [market, true, -30, -31, 5]).log).toBe(closed)
    node.must(trader('A'), 'cancel_order', market, true, -30)
    expect(balanceOf(node, 'A')).toBe(1_000_000)
  })

  test('of an order decides who is filled first, and a change keeps it', () => {
    const node = startMarketNode(['A', 'B', 'S'])
    const market = openMarket(node)
    node.must(trader('A'), 'place_buy_order', market, true, 50, 5)
    node.nowMs += 10_000
    node.must(trader('B'), 'place_buy_order', market, true, 55, 5)
    node.must(trader('A'), 'change_bid', market, true, -50, -55, 5)
    node.must(trader('S'), 'place_split_limit_order', market, 40, 5)
    node.must(trader('S'), 'place_sell_order', market, true, 55, 5)
    expect(positionsOf(node, 'A')).toEqual({ 'YES 0': 5 })
    expect(positionsOf(node, 'B')).toEqual({ 'YES -55': 5 })
  })
})

describe('orders of one price and one time are filled in the order of the numbers of their wallets', () => {
  const startNumbered = () => {
    const node = startMarketNode(['A', 'B', 'S'])
    const market = openMarket(node)
    // Their first orders number A before B.
    for (const name of ['A', 'B']) node.must(trader(name), 'place_buy_order', market, true, 10, 5)
    return { node, market }
  }

  test('by a sell', () => {
    const { node, market } = startNumbered()
    for (const name of ['B', 'A']) node.must(trader(name), 'place_buy_order', market, true, 50, 5)
    node.must(trader('S'), 'place_split_limit_order', market, 40, 5)
    node.must(trader('S'), 'place_sell_order', market, true, 50, 5)
    expect(positionsOf(node, 'A')).toEqual({ 'YES -10': 5, 'YES 0': 5 })
    expect(positionsOf(node, 'B')).toEqual({ 'YES -50': 5, 'YES -10': 5 })
  })

  test('by a buy of the other outcome', () => {
    const { node, market } = startNumbered()
    for (const name of ['B', 'A']) node.must(trader(name), 'place_buy_order', market, true, 50, 5)
    node.must(trader('S'), 'place_buy_order', market, false, 50, 5)
    expect(positionsOf(node, 'A')).toEqual({ 'YES -10': 5, 'YES 0': 5 })
    expect(positionsOf(node, 'B')).toEqual({ 'YES -50': 5, 'YES -10': 5 })
  })
})

describe('create_market', () => {
  test('takes two tokens, writes the row of the ledger and is found by its hash', () => {
    const node = startMarketNode()
    const { hash: tx } = node.must(keys.owner, 'create_market', 'hoodi_tt2', questionOf(40), 1_760_001_000, 5, 1)
    const [[hash, components, bridge] = []] = node.view('get_market_info', [1])
    expect([components, bridge]).toEqual([questionOf(40), 'hoodi_tt2'])
    expect(node.view('market_exists', [hash as Uint8Array])).toEqual([[true]])
    expect(node.view('get_market_by_hash', [hash as Uint8Array])[0]?.[0]).toBe(1n)
    expect(node.view('get_transaction_event', [`0x${tx}`])[0]?.slice(2, 5)).toEqual([
      'createMarket',
      keys.owner.address,
      String(2n * token),
    ])
  })

  test('reads no components that point outside of themselves, or ask of no action', () => {
    const node = startMarketNode()
    const create = (components: Uint8Array) =>
      node.execute(keys.owner, 'create_market', ['hoodi_tt2', components, 1_760_001_000, 5, 1]).log
    const question = questionOf(40)
    const changed = (at: number, byte: number) => question.map((one, index) => (index === at ? byte : one))
    expect(create(new Uint8Array())).toBe(
      'ERROR: query_components is required (ABI-encoded (address,bytes32,string,bytes))',
    )
    expect(create(question.subarray(0, 127))).toBe(
      'ERROR: failed to ABI-decode query_components: abi: cannot marshal in to go slice: offset 160 would go over slice boundary (len=127)',
    )
    expect(create(changed(64, 1))).toMatch(/offset \d{70,} would go over slice boundary/)
    expect(create(changed(128, 0x7f))).toMatch(/abi: length larger than int64: \d{70,}$/)
    expect(create(changed(158, 0x10))).toMatch(/length insufficient \d+ require \d+$/)
    expect(create(changed(160, 0x71))).toBe('ERROR: invalid action_id: unknown action: qrice_above_threshold')
    expect(node.view('list_markets', [null, null, null])).toEqual([])
  })

  test('lists newest first, by state and by page', () => {
    const node = startMarketNode()
    for (const threshold of [1, 2, 3]) openMarket(node, threshold)
    const ids = (...args: readonly (boolean | number | null)[]) =>
      node.view('list_markets', args).map(([id]) => Number(id))
    expect(ids(null, null, null)).toEqual([3, 2, 1])
    expect(ids(false, 2, 1)).toEqual([2, 1])
    expect(ids(true, 100, 0)).toEqual([])
    expect(ids(null, 101, -1)).toEqual([3, 2, 1])
  })
})
