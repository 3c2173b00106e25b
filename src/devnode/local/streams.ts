/** Creation, removal and the list of local streams. */

import { removeEvents } from '../state/events.ts'
import { addStream, findStream, listStreams, removeStream, type Stream, type StreamType } from '../state/streams.ts'
import { listAllTaxonomyRows, removeTaxonomyRow, removeTaxonomyRows } from '../state/taxonomies.ts'
import { assertStreamId, invalid, requireStream } from './checks.ts'
import type { LocalStreams } from './ledger.ts'

/** Creates a stream; local_invalid when the id or the type is malformed, or the stream exists. */
export function createLocalStream(local: LocalStreams, streamId: string, type: string): void {
  assertStreamId(streamId)
  if (!isStreamType(type)) throw invalid(`stream_type must be 'primitive' or 'composed', got "${type.slice(0, 64)}"`)
  if (findStream(local.store, local.operator, streamId) !== undefined)
    throw invalid(`stream already exists: ${streamId}`)
  addStream(local.store, { dataProvider: local.operator, streamId, type, createdAt: local.height })
}

/** Removes a stream with its records, its taxonomies, and its part in those of others. */
export function deleteLocalStream(local: LocalStreams, streamId: string): void {
  const stream = requireStream(local, streamId)
  for (const row of [...listAllTaxonomyRows(local.store)]) {
    if (row.child === stream.ref) removeTaxonomyRow(local.store, row)
  }
  removeEvents(local.store, stream.ref)
  removeTaxonomyRows(local.store, stream.ref)
  removeStream(local.store, stream)
}

/** Every local stream, the oldest first. */
export function listLocalStreams({ store }: LocalStreams): readonly Stream[] {
  return [...listStreams(store)].sort((left, right) => left.createdAt - right.createdAt)
}

function isStreamType(type: string): type is StreamType {
  return type === 'primitive' || type === 'composed'
}
