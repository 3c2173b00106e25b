/** The streams of the ledger: who provides them, of which type, since when. */

import { countPart, joinKey, keysUnder, parseTextPart, readCounter, textPart } from '../keys.ts'
import type { LedgerStore } from '../ports.ts'

/** A primitive stream stores values; a composed stream computes them from its children. */
export type StreamType = 'primitive' | 'composed'

/** A stream as the ledger keeps it. */
export interface Stream {
  /** The stream's number on this ledger, from 1; never used again after a deletion. */
  readonly ref: number
  /** The provider's address in lower case. */
  readonly dataProvider: string
  readonly streamId: string
  readonly type: StreamType
  /** Height of the block that created it. */
  readonly createdAt: number
  /** The transaction that created it; local streams have none. */
  readonly txId?: string
}

const streams = 'stream'
const streamNames = 'stream-ref'
const streamCounter = 'stream-counter'
const providers = 'provider'

/** Finds a stream; the provider may be written in any case, and null names none. */
export function findStream(
  store: LedgerStore,
  dataProvider: string | null,
  streamId: string | null,
): Stream | undefined {
  if (dataProvider === null || streamId === null) return undefined
  const provider = dataProvider.toLowerCase()
  const row = store.get(joinKey(streams, textPart(provider), textPart(streamId)))
  return row === undefined ? undefined : readStream(provider, streamId, row)
}

/** Finds a stream by its number; undefined once it has been deleted. */
export function findStreamByRef(store: LedgerStore, ref: number): Stream | undefined {
  const key = store.get(joinKey(streamNames, countPart(ref)))
  if (key === undefined) return undefined
  const [provider = '', streamId = ''] = key.split('/').map(parseTextPart)
  return findStream(store, provider, streamId)
}

/** Adds a stream and gives it the next number. The caller has made sure that there is none of that name. */
export function addStream(store: LedgerStore, stream: Omit<Stream, 'ref'>): Stream {
  const ref = readCounter(store, streamCounter) + 1
  const name = joinKey(textPart(stream.dataProvider), textPart(stream.streamId))
  store.put(streamCounter, String(ref))
  store.put(joinKey(streams, name), `${ref} ${stream.type} ${stream.createdAt} ${stream.txId ?? ''}`)
  store.put(joinKey(streamNames, countPart(ref)), name)
  return { ...stream, ref }
}

/** Forgets a stream itself; its records, metadata and taxonomies are the business of their own files. */
export function removeStream(store: LedgerStore, stream: Stream): void {
  store.delete(joinKey(streams, textPart(stream.dataProvider), textPart(stream.streamId)))
  store.delete(joinKey(streamNames, countPart(stream.ref)))
}

/** All streams, or those of one provider, by provider and stream id. */
export function* listStreams(store: LedgerStore, dataProvider?: string): Generator<Stream> {
  const range = dataProvider === undefined ? keysUnder(streams) : keysUnder(streams, textPart(dataProvider))
  for (const [key, row] of store.list(range)) {
    const [, provider = '', streamId = ''] = key.split('/').map(parseTextPart)
    yield readStream(provider, streamId, row)
  }
}

/** Registers an address as a data provider; the first height stays. */
export function addProvider(store: LedgerStore, address: string, height: number): void {
  const key = joinKey(providers, address)
  if (store.get(key) === undefined) store.put(key, String(height))
}

function readStream(dataProvider: string, streamId: string, row: string): Stream {
  const [ref, type, createdAt, txId = ''] = row.split(' ')
  return {
    ref: Number(ref),
    dataProvider,
    streamId,
    type: type === 'composed' ? 'composed' : 'primitive',
    createdAt: Number(createdAt),
    ...(txId !== '' && { txId }),
  }
}
