/** Examples of the operations about orders and positions: what they send, and what they make of an answer. */

import { bytes } from '../loopback-node.ts'
import { type Examples, other, otherChecksum } from './values.ts'

const positions = {
  answer: { rows: [[1n, true, -5n, 10n, 'buy_order']] },
  result: [{ queryId: 1, outcome: true, price: -5, amount: 10, positionType: 'buy_order' }],
}
const collateral = {
  answer: { rows: [['3', '1', '2']] },
  result: { totalLocked: '3', buyOrdersLocked: '1', sharesValue: '2' },
}
const side = { queryId: 1, outcome: true }

/** Examples by the names of their operations. */
export const orderExamples: Examples = {
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
}
