/** Names of the stream network for the search: streams and markets. */

import type { Market, Stream } from '#gateway/contract/results.ts'
import type { Named } from '../frame/search-index.ts'
import { mostMarkets, mostStreams, read } from './gateway.ts'
import { findQuestion } from './markets/question.ts'
import { findName, type NameRow, offerNetworkNames, walletTitle } from './name-book.ts'
import { hrefOf } from './stream-name.ts'

/** Streams by their names, ids and owners. */
export function listNames(streams: readonly Stream[]): readonly Named[] {
  return streams.map((stream) => ({
    name: [findName(stream), stream.stream_id, walletTitle(stream.data_provider)].filter(Boolean).join(' '),
    kind: 'stream',
    href: hrefOf(stream),
  }))
}

/** Reads the newest streams and markets of the network. */
export async function readNames(signal: AbortSignal): Promise<readonly Named[]> {
  const [streams, markets, names] = await Promise.all([
    read<readonly Stream[]>('list_streams', { limit: mostStreams }, signal, { isAside: true }),
    // A node of the network without markets has streams all the same.
    read<readonly Market[]>('list_markets', { limit: mostMarkets }, signal, { isAside: true }).catch(() => []),
    read<readonly NameRow[]>('list_metadata_by_height', { key: 'name', limit: 10_000 }, signal, {
      isAside: true,
    }).catch(() => null),
  ])
  if (names !== null) offerNetworkNames(names)
  const named = markets.map((market) => ({
    name: `Market ${market.id} ${findQuestion(market) ?? ''}`.trim(),
    kind: 'market',
    href: `/console/streams/markets/${market.id}`,
  }))
  return [...listNames(streams), ...named]
}
