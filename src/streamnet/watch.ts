/** Polls a node for records of a stream, blocks of the chain and the state of a market, as async iterables. */

import { assertTimer } from './call-options.ts'
import { isStreamNetError, malformedResponse, type StreamNetErrorCode } from './errors.ts'
import { getMarketInfo, type MarketInfo } from './operations/markets.ts'
import { getFullMarketDepth } from './operations/order-book.ts'
import { getLastRecord, getRecords, type StreamRecord } from './operations/records.ts'
import type { Client } from './ports.ts'
import type { TransactionJson } from './rpc/methods.ts'

/** The pace of a watch. It goes on until the signal of `withOptions` ends it, or its loop is left. */
export interface WatchOptions {
  /** Milliseconds between two questions; 1000 when left out. */
  readonly intervalMs?: number | undefined
}

/** A stream to watch. */
export interface WatchRecordsParams extends WatchOptions {
  readonly streamId: string
  /** The stream's owner; the caller when left out. */
  readonly dataProvider?: string | undefined
  /** Unix time in seconds after which records are given; that of the newest record now when left out. */
  readonly after?: number | undefined
}

/**
 * Gives the records of a stream as they come, in the order of their dates, each date once. To go on where a watch has
 * ended, give the date of its last record as `after`.
 *
 * A node that does not answer for a while ends nothing: what was inserted meanwhile is given afterwards. A record that
 * is inserted behind the last date is not given.
 *
 * @param params - `intervalMs` between two questions, 1000 when left out.
 * @throws StreamNetError as `getRecords` does, but for a node that does not answer.
 *
 * @example
 * for await (const { date, value } of watchRecords(client, { streamId, after: 1_760_000_100 })) {
 *   console.log(date, value)
 *   break
 * }
 */
export async function* watchRecords(client: Client, params: WatchRecordsParams): AsyncGenerator<StreamRecord, void> {
  const stream = { streamId: params.streamId, dataProvider: params.dataProvider }
  let last = params.after ?? (await findLastDate(client, stream))
  for (;;) {
    const from = last + 1
    const records = (await poll(client, () => getRecords(client, { ...stream, dateFrom: from }))) ?? []
    for (const record of records) {
      // The network begins with the newest record before the range.
      if (record.date <= last) continue
      last = record.date
      yield record
    }
    await pause(client, params)
  }
}

/** A block. */
export interface WatchedBlock {
  readonly height: number
  /** 64 hex digits. */
  readonly hash: string
  readonly previousHash: string
  readonly timeMs: number
  /** Null for one whose body the node has pruned. */
  readonly transactions: readonly (TransactionJson | null)[]
}

/**
 * Gives the blocks of the chain as they are made, none left out. To go on where a watch has ended, give the height
 * after its last block.
 *
 * @param params - `fromHeight` is the first height, that of the next block when left out; `intervalMs` as of
 * `watchRecords`.
 * @throws StreamNetError malformed_response when the chain is shorter than it was, or goes on behind another block.
 * @throws StreamNetError not_found when the node has pruned a block.
 * @throws StreamNetError as `Transport.request` does, but for a node that does not answer.
 *
 * @example
 * for await (const { height, transactions } of watchBlocks(client, { fromHeight: 1 })) {
 *   console.log(height, transactions.length)
 *   break
 * }
 */
export async function* watchBlocks(
  client: Client,
  params: WatchOptions & { readonly fromHeight?: number | undefined } = {},
): AsyncGenerator<WatchedBlock, void> {
  let next = params.fromHeight
  let last: WatchedBlock | undefined
  for (;;) {
    const head = (await poll(client, () => client.request('user.chain_info', {})))?.block_height
    if (head !== undefined) {
      next ??= head + 1
      if (head < next - 1) {
        throw malformedResponse(`Cannot watch blocks: the chain ends at height ${head}, expected ${next - 1} or more`)
      }
      for (; next <= head; next++) {
        const height = next
        const block = await poll(client, () => readBlock(client, height))
        if (block === undefined) break
        if (last !== undefined && block.previousHash !== last.hash) {
          throw malformedResponse(`Cannot watch blocks: block ${height} does not follow block ${last.height}`)
        }
        last = block
        yield block
      }
    }
    await pause(client, params)
  }
}

/** A market at a moment. */
export interface WatchedMarket {
  readonly info: MarketInfo
  /** Volumes at each price of both outcomes. */
  readonly depth: Awaited<ReturnType<typeof getFullMarketDepth>>
}

/**
 * Gives a market now and after each change of its book or its settlement; it ends when the market is settled.
 *
 * @param params - `intervalMs` as of `watchRecords`.
 * @throws StreamNetError as `getMarketInfo` does, but for a node that does not answer.
 *
 * @example
 * for await (const { info, depth } of watchMarket(client, { queryId: 1 })) {
 *   console.log(info.settled, depth.length)
 *   break
 * }
 */
export async function* watchMarket(
  client: Client,
  params: WatchOptions & { readonly queryId: number },
): AsyncGenerator<WatchedMarket, void> {
  let before = ''
  for (;;) {
    const market = await poll(client, async () => ({
      info: await getMarketInfo(client, params),
      depth: await getFullMarketDepth(client, params),
    }))
    if (market !== undefined) {
      const state = JSON.stringify([market.depth, market.info.settled])
      if (state !== before) yield market
      before = state
      if (market.info.settled) return
    }
    await pause(client, params)
  }
}

/** Codes of a node that does not answer now and may answer later. */
const passing: ReadonlySet<StreamNetErrorCode> = new Set([
  'connection_refused',
  'connection_lost',
  'timeout',
  'no_backend',
  'rate_limited',
])

/** The answer, or undefined where the node does not answer now; the next question may get one. */
async function poll<T>({ signal }: Client, ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask()
  } catch (error) {
    // The end of the watch is a timeout too.
    if (isStreamNetError(error) && passing.has(error.code) && !signal?.aborted) return undefined
    throw error
  }
}

/** Waits until the next question; invalid_argument when the pace is not 1 to 2^31 - 1 ms. */
export async function pause({ platform }: Client, { intervalMs = 1000 }: WatchOptions): Promise<void> {
  assertTimer(intervalMs, 'interval_ms')
  await platform.sleep(intervalMs)
}

/** The date of the newest record; of a stream without one, before every date. */
async function findLastDate(client: Client, stream: Pick<WatchRecordsParams, 'streamId' | 'dataProvider'>) {
  const last = await getLastRecord(client, stream)
  return last?.date ?? Number.MIN_SAFE_INTEGER
}

async function readBlock(client: Client, height: number): Promise<WatchedBlock> {
  const { hash, block } = await client.request('chain.block', { height })
  const { header, txns } = block
  return {
    height,
    hash,
    previousHash: header.prev_hash ?? header.PrevHash ?? '',
    timeMs: header.stamp_ms ?? Date.parse(header.Timestamp ?? ''),
    transactions: txns ?? [],
  }
}
