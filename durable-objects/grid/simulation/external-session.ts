/** A session that an outside simulator feeds: its stored state, its ingestion, and its stream of commands. */

import { encodeHex } from '#base/hex.ts'
import { doAtOnce, type Sliced } from '#base/slices.ts'
import { encodeUtf8 } from '#base/utf8.ts'
import type { AttackDisableResult, AttackEnableResult } from '#grid/contract/attacks.ts'
import type { Topology } from '#grid/contract/grid.ts'
import { readCapture } from '#grid/export/read-capture.ts'
import type { AttackDisableRequest, AttackEnableRequest } from '#grid/interface/attack-requests.ts'
import { countIngested, type ExternalState, emptyExternal } from '#grid/interface/external.ts'
import { expectOnTime, passOnDisable, passOnEnable } from '#grid/interface/external-orders.ts'
import { recordCaptured, recordIngested } from '#grid/interface/external-records.ts'
import type { ExternalStatus, PacketBatch } from '#grid/interface/ingest-requests.ts'
import { expectExternal } from '#grid/interface/session-view.ts'
import { encodeStreamEvent, type StreamEvent } from '#grid/records/broadcast.ts'
import type { NewRecords } from '#grid/records/records.ts'
import { formatOpening, type Listeners } from '../listeners.ts'
import { type RecordChunk, splitRecords } from '../storage/record-chunks.ts'
import type { SimulationStore } from '../storage/simulation.ts'
import type { Publish, SimulationSession } from './session.ts'
import { gatherRecords, noRecords } from './session-state.ts'

/** Frames of a capture that are recorded in a slice. */
const sliceFrames = 2_000

/** Opens the state of the outside simulator from its table. */
export function openExternalSession(store: SimulationStore, session: SimulationSession, publish: Publish) {
  // Only `write` and `append` below change the table.
  let state = (store.readExternal() as ExternalState | undefined) ?? emptyExternal

  function write(next: ExternalState): void {
    store.writeExternal(next)
    state = next
  }

  function expectOutside(action: string): void {
    expectExternal(session.session().configuration, action)
  }

  function numbering() {
    return {
      nextFrameNo: session.records().frames.pushed + 1,
      newId: () => encodeHex(crypto.getRandomValues(new Uint8Array(4))),
    }
  }

  function append(records: NewRecords, chunks: readonly RecordChunk[]): void {
    const firstNumber = session.records().incidents.pushed + 1
    const next = countIngested(state, records)
    store.writeExternal(next)
    session.append(records, chunks)
    // Memory changes after the disk: a failed write must not be shown.
    state = next
    publish({ ...records, events: [], field: [] }, firstNumber)
  }

  function sendCommand(event: StreamEvent, listeners: Listeners): void {
    listeners.publish([encodeStreamEvent(event, session.session().sessionId)])
  }

  return {
    state: () => state,
    reset: () => write(emptyExternal),
    /** Empties the state in memory; the table is deleted with the object. */
    forget() {
      state = emptyExternal
    },
    /** Takes a batch once: the same source and number get the same answer again and change nothing. */
    packets(batch: PacketBatch, nowMs: number): string {
      expectOutside('ingest packets')
      const known = store.readBatchReply(batch.source, batch.seq)
      if (known !== undefined) return known
      expectOnTime(batch, nowMs)
      const reply = JSON.stringify({ accepted: batch.packets.length, rejected: batch.rejected }, null, 2)
      const records = recordIngested(batch.packets, numbering())
      store.together(() => {
        store.writeBatchReply(batch.source, batch.seq, reply)
        append(records, doAtOnce(splitRecords(records)))
      })
      return reply
    },
    /** Takes a whole capture file or nothing of it, in slices; the caller lets no other records come between. */
    *capture(bytes: Uint8Array): Sliced<object> {
      expectOutside('ingest a capture')
      const frames = readCapture(bytes)
      const { nextFrameNo, newId } = numbering()
      const records = noRecords()
      for (let at = 0; at < frames.length; at += sliceFrames) {
        yield
        const part = frames.slice(at, at + sliceFrames)
        gatherRecords(records, recordCaptured(part, { nextFrameNo: nextFrameNo + at, newId }))
      }
      const chunks = yield* splitRecords(records)
      store.together(() => append(records, chunks))
      return { accepted: frames.length }
    },
    topology(topology: Topology): object {
      expectOutside('ingest a topology')
      write({ ...state, topology })
      return { nodes: topology.nodes.length, links: topology.links.length }
    },
    status(status: ExternalStatus, nowMs: number): object {
      expectOutside('ingest a status')
      write({ ...state, status: { ...status, atMs: nowMs } })
      return { accepted: true, next_within_s: status.interval_s * 3 }
    },
    /** Passes an order on to the listeners of the topic `command`. */
    enable(request: AttackEnableRequest, listeners: Listeners, nowMs: number): AttackEnableResult {
      const hasHook = listeners.countFor({ topic: 'command', audience: 'full' }) > 0
      const passed = passOnEnable(state, session.world(), request, { hasHook, nowMs })
      if (passed.attack !== undefined) {
        write(passed.state)
        sendCommand({ topic: 'command', data: { command: 'enable', ...passed.attack } }, listeners)
      }
      return passed.result
    },
    disable(request: AttackDisableRequest, listeners: Listeners): AttackDisableResult {
      const { state: next, result } = passOnDisable(state, request)
      if (next !== state) write(next)
      if (result.disabled.length > 0) {
        const data = { command: 'disable', attack_ids: result.disabled }
        sendCommand({ topic: 'command', data }, listeners)
      }
      return result
    },
    /** Opens the stream of commands, the hook of the contract; it begins with the attacks that are active. */
    listen(listeners: Listeners, name: string, signal: AbortSignal): Response {
      const opening = [encodeUtf8(formatOpening(name))]
      for (const attack of state.active) {
        const event = { topic: 'command', data: { command: 'enable', ...attack } } as const
        opening.push(encodeStreamEvent(event, session.session().sessionId).plain)
      }
      return listeners.open({ topics: new Set(['command']), withIds: false, visibility: 'full' }, opening, signal)
    },
  }
}
