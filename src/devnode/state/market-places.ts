/** Positions of markets: the place, which holds one position at most, and the stake in it. */

import type { Market } from './markets.ts'

/** A market as positions need it. */
export type BookMarket = Pick<Market, 'id' | 'bridge'>

/** The place of a position. */
export interface PositionPlace {
  readonly market: BookMarket
  /** The number of the wallet. */
  readonly participant: number
  /** True for YES. */
  readonly outcome: boolean
  /** Cents: 0 held, positive for a sell, negative for a buy. */
  readonly price: number
}

/** The amount of a position, and its time. */
export interface Stake {
  readonly amount: bigint
  /** UNIX seconds of the block; orders of a price are matched in this order. */
  readonly since: number
  /**
   * Decides between orders of the same time: the number of the wallet, by which the network's engine orders them. In
   * entries of older nodes it counts arrivals.
   */
  readonly rank: number
}

/** A position. */
export interface Position extends PositionPlace, Stake {}

/** The highest price in cents. */
export const maxPrice = 99

/** An outcome as a part of a key. */
export function outcomePart(outcome: boolean): string {
  return outcome ? '1' : '0'
}
