/** Results of operations as the gateway writes them; the client has their types, and the catalogue their schemas. */

import type { SnakeCase } from '../../base/naming.ts'
import type * as client from '../../streamnet/index.ts'

/** A result in JSON: names in snake case, bytes and integers beyond a double as text. */
type Written<T> = T extends bigint | Uint8Array
  ? string
  : T extends readonly (infer Item)[]
    ? readonly Written<Item>[]
    : T extends object
      ? { readonly [Name in keyof T as SnakeCase<Name>]: Written<T[Name]> }
      : T

/** A stream; its height is a whole number. */
export type Stream = Written<Omit<client.ListedStream, 'streamType'> & { readonly streamType: client.StreamType }>
/** A value at a date in Unix seconds; exact decimals are text. */
export type Point = Written<client.StreamRecord>
/** A child of a composed stream. */
export type Child = Written<client.Taxonomy['childStreams'][number]>
/** A market. */
export type Market = Written<client.MarketSummary>
/** Orders at one price in cents. */
export type Depth = Written<Awaited<ReturnType<typeof client.getFullMarketDepth>>[number]>
/** A wallet's shares, or its order in a market: the price is below 0 for a bid, and 0 for shares that are held. */
export type Position = Written<client.Position>
/** An event of a wallet's order, its price in cents and its time in Unix seconds. */
export type OrderEvent = Written<client.OrderEvent>
/** A member of a role. */
export type Member = Written<client.RoleMember>
/** A fee of a transaction. */
export type Fee = Written<client.TransactionFee>
