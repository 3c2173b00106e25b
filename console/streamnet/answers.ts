/** Results of operations that the room reads; docs/gateway.md has them whole. */

import type { ListedTransaction } from '#gateway/contract/chain.ts'

/** A stream. */
export interface Stream {
  readonly stream_id: string
  readonly data_provider: string
  readonly stream_type: 'primitive' | 'composed'
  readonly created_at: number
}

/** A value at a date in Unix seconds; exact decimals are text. */
export interface Point {
  readonly date: number
  readonly value: string
}

/** A child of a composed stream. */
export interface Child {
  readonly stream: { readonly stream_id: string; readonly data_provider: string }
  readonly weight: string
}

/** A transaction; one of a list has its place in the block. */
export type Transaction = Omit<ListedTransaction, 'index'> & Partial<Pick<ListedTransaction, 'index'>>

/** A market. */
export interface Market {
  readonly id: number
  readonly hash: string
  readonly settle_time: number
  readonly settled: boolean
  readonly winning_outcome: boolean | null
  readonly max_spread: number
}

/** Orders at one price in cents. */
export interface Depth {
  readonly outcome: boolean
  readonly price: number
  readonly buy_volume: number
  readonly sell_volume: number
}

/** A wallet's shares or order in a market. */
export interface Position {
  readonly query_id: number
  readonly outcome: boolean
  /** Cents: below 0 for a bid, 0 for shares that are held. */
  readonly price: number
  readonly amount: number
  readonly position_type: 'holding' | 'buy_order' | 'sell_order'
}

/** An event of a wallet's order. */
export interface OrderEvent {
  readonly id: number
  readonly query_id: number
  readonly event_type: string
  readonly outcome: boolean
  /** Cents. */
  readonly price: number
  readonly amount: number
  readonly counterparty_address: string | null
  /** Unix time in seconds. */
  readonly block_timestamp: number
}
