/** The forecast of a prediction market whose buckets are markets of the network. */

import { readEach } from '../batch.ts'
import { consolidateBook } from '../consolidated-book.ts'
import { invalidArgument } from '../errors.ts'
import { bucketBoundsFromMarketData } from '../forecast/bounds.ts'
import { forecastFromDepth, type MarketForecast } from '../forecast/forecast.ts'
import type { Bucket } from '../forecast/quote.ts'
import { decodeMarketData, decodeQuestionTimes } from '../market-data.ts'
import type { Client } from '../ports.ts'
import { getMarketInfo, type MarketInfo } from './markets.ts'
import { getFullMarketDepth } from './order-book.ts'
import { checkId } from './parameters.ts'

/** Each bucket costs two reads of the node. */
const mostBuckets = 100
const concurrency = 4

/**
 * Reads the one value that the order books of a market's buckets imply, with the band in which it lies. The buckets are
 * markets that differ in their thresholds only, in any order; a layout with gaps is a warning of the answer.
 *
 * @param params - `queryIds` are the ids of 2 to 100 markets.
 * @returns null when no bucket has orders that count. `value`, `p10` and `p90` are in the stream's unit.
 * @throws StreamNetError invalid_argument when there are too few or too many ids, or one is there twice.
 * @throws StreamNetError invalid_argument when a market has another event than the first, or no bounds.
 * @throws StreamNetError malformed_bytes when a market's components do not decode.
 * @throws StreamNetError as `getMarketInfo` does.
 *
 * @example
 * const terms = { dataProvider: provider, streamId, timestamp: 1_760_000_300, settleTime, bridge: 'testnet_b' }
 * const order = { maxSpread: 5, minOrderSize: 1 }
 * await createPriceBelowThresholdMarket(client, { ...terms, ...order, threshold: '20' })
 * await createPriceAboveThresholdMarket(client, { ...terms, ...order, threshold: '20' })
 * const [above, below] = await listMarkets(client, { limit: 2 })
 * await placeBuyOrder(client, { queryId: above.id, outcome: true, price: 60, amount: 100 })
 * const forecast = await getMarketForecast(client, { queryIds: [below.id, above.id] })
 */
export async function getMarketForecast(
  client: Client,
  params: { readonly queryIds: readonly number[] },
): Promise<MarketForecast | null> {
  const queryIds = checkIds(params.queryIds)
  const read = async (queryId: number) =>
    Promise.all([getMarketInfo(client, { queryId }), getFullMarketDepth(client, { queryId })])
  const markets = await readEach(queryIds, read, concurrency)
  const [first] = markets.map(([info]) => eventOf(info))
  const buckets = markets.map(([info, depth]): Bucket => {
    const event = eventOf(info)
    if (event !== first) {
      throw invalidArgument(
        `market ${info.id} belongs to a different event than the first bucket: (dataProvider, streamId, bridge, settleTime, timestamp, frozenAt) is ${event} against ${first}. One forecast covers the buckets of ONE market.`,
      )
    }
    const bounds = bucketBoundsFromMarketData(decodeMarketData(info.queryComponents))
    return { queryId: info.id, ...bounds, ...consolidateBook(depth, true) }
  })
  const ascending = buckets.sort((left, right) => lowerOf(left) - lowerOf(right) || 0)
  const forecast = forecastFromDepth(ascending)
  return forecast && { ...forecast, warnings: [...layoutWarnings(ascending), ...forecast.warnings] }
}

function checkIds(queryIds: readonly number[]): readonly number[] {
  if (!Array.isArray(queryIds) || queryIds.length < 2) {
    throw invalidArgument(`a market forecast needs at least 2 bucket query_ids, got ${queryIds?.length ?? 0}`)
  }
  if (queryIds.length > mostBuckets) {
    throw invalidArgument(`a market forecast takes at most ${mostBuckets} bucket query_ids, got ${queryIds.length}`)
  }
  const repeated = queryIds.filter((id, at) => queryIds.indexOf(id) !== at).sort((left, right) => left - right)
  if (repeated.length > 0) {
    const ids = [...new Set(repeated)].join(', ')
    throw invalidArgument(
      `duplicate bucket query_ids ${ids}; a repeated bucket would have its probability counted twice`,
    )
  }
  return queryIds.map((id) => checkId(id))
}

/** The event that the buckets of one market share: all of a market but its thresholds. */
function eventOf({ id, queryComponents, bridge, settleTime }: MarketInfo): string {
  if (queryComponents.length === 0) {
    throw invalidArgument(`market ${id} has no query_components, so its bucket bounds cannot be derived`)
  }
  const { dataProvider, streamId, type } = decodeMarketData(queryComponents)
  const times = decodeQuestionTimes(queryComponents)
  if (times === null && type !== 'unknown') {
    throw invalidArgument(
      `market ${id} carries no readable query timestamp, so it cannot be matched against the other buckets of its market`,
    )
  }
  return [dataProvider, streamId, bridge, settleTime, times?.timestamp ?? null, times?.frozenAt ?? null].join('|')
}

function lowerOf({ lower }: Bucket): number {
  return lower ?? Number.NEGATIVE_INFINITY
}

function layoutWarnings(buckets: readonly Bucket[]): readonly string[] {
  const breaks = buckets.slice(1).filter(({ lower }, at) => buckets[at]?.upper !== lower).length
  return [
    buckets[0]?.lower !== null && 'lowest bucket is not open below',
    buckets.at(-1)?.upper !== null && 'highest bucket is not open above',
    breaks > 0 && `${breaks} gap(s) or overlap(s) between bucket bounds`,
  ].filter((warning) => warning !== false)
}
