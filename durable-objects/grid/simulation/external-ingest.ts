/** Ingestion from an outside simulator: packets, captures, topologies and its status. */

import { encodeHex } from '#base/hex.ts'
import { doAtOnce, type Sliced } from '#base/slices.ts'
import type { Topology } from '#grid/contract/grid.ts'
import { readCapture } from '#grid/export/read-capture.ts'
import { countIngested } from '#grid/interface/external.ts'
import { expectOnTime } from '#grid/interface/external-orders.ts'
import { recordCaptured, recordIngested } from '#grid/interface/external-records.ts'
import type { ExternalStatus, PacketBatch } from '#grid/interface/ingest-requests.ts'
import { expectExternal } from '#grid/interface/session-view.ts'
import type { NewRecords } from '#grid/records/records.ts'
import { type RecordChunk, splitRecords } from '../storage/record-chunks.ts'
import { type ExternalSession, writeExternal } from './external-session.ts'
import { gatherRecords, noRecords } from './session-state.ts'

/** Frames of a capture that are recorded in a slice. */
const sliceFrames = 2_000

/**
 * Takes a batch once: the same source and number get the same answer again and change nothing.
 *
 * @throws GridError as `expectExternal` does.
 * @throws GridError as `expectOnTime` does.
 */
export function ingestPackets(external: ExternalSession, batch: PacketBatch, nowMs: number): string {
  const { store } = external
  expectOutside(external, 'ingest packets')
  const known = store.readBatchReply(batch.source, batch.seq)
  if (known !== undefined) return known
  expectOnTime(batch, nowMs)
  const reply = JSON.stringify({ accepted: batch.packets.length, rejected: batch.rejected }, null, 2)
  const records = recordIngested(batch.packets, numbering(external))
  store.together(() => {
    store.writeBatchReply(batch.source, batch.seq, reply)
    append(external, records, doAtOnce(splitRecords(records)))
  })
  return reply
}

/**
 * Takes a whole capture file or nothing of it, in slices; the caller lets no other records come between.
 *
 * @throws GridError as `expectExternal` does.
 * @throws GridError as `readCapture` does.
 */
export function* ingestCapture(external: ExternalSession, bytes: Uint8Array): Sliced<object> {
  expectOutside(external, 'ingest a capture')
  const frames = readCapture(bytes)
  const { nextFrameNo, newId } = numbering(external)
  const records = noRecords()
  for (let at = 0; at < frames.length; at += sliceFrames) {
    yield
    const part = frames.slice(at, at + sliceFrames)
    gatherRecords(records, recordCaptured(part, { nextFrameNo: nextFrameNo + at, newId }))
  }
  const chunks = yield* splitRecords(records)
  external.store.together(() => append(external, records, chunks))
  return { accepted: frames.length }
}

/**
 * Takes a topology in the place of the one before.
 *
 * @throws GridError as `expectExternal` does.
 */
export function ingestTopology(external: ExternalSession, topology: Topology): object {
  expectOutside(external, 'ingest a topology')
  writeExternal(external, { ...external.state, topology })
  return { nodes: topology.nodes.length, links: topology.links.length }
}

/**
 * Takes a status.
 *
 * @throws GridError as `expectExternal` does.
 */
export function ingestStatus(external: ExternalSession, status: ExternalStatus, nowMs: number): object {
  expectOutside(external, 'ingest a status')
  writeExternal(external, { ...external.state, status: { ...status, atMs: nowMs } })
  return { accepted: true, next_within_s: status.interval_s * 3 }
}

function expectOutside({ session }: ExternalSession, action: string): void {
  expectExternal(session.session().configuration, action)
}

function numbering({ session }: ExternalSession) {
  return {
    nextFrameNo: session.records().frames.pushed + 1,
    newId: () => encodeHex(crypto.getRandomValues(new Uint8Array(4))),
  }
}

function append(external: ExternalSession, records: NewRecords, chunks: readonly RecordChunk[]): void {
  const { store, session, publish } = external
  const firstNumber = session.records().incidents.pushed + 1
  const next = countIngested(external.state, records)
  store.writeExternal(next)
  session.append(records, chunks)
  // Memory changes after the disk: a failed write must not be shown.
  external.state = next
  publish({ ...records, events: [], field: [] }, firstNumber)
}
