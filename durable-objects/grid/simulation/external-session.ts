/** A session that an outside simulator feeds: what it ingests, and the commands that go out to it. */

import { encodeEventText } from '../../../src/base/event-stream.ts'
import { encodeHex } from '../../../src/base/hex.ts'
import { readOrder } from '../../../src/grid/attacks/order.ts'
import { type StepOutput, telecontrolOf } from '../../../src/grid/engine.ts'
import { GridError } from '../../../src/grid/errors.ts'
import { readCapture } from '../../../src/grid/export/read-capture.ts'
import {
  countIngested,
  type ExternalState,
  emptyExternal,
  hasRoomFor,
  isExternalRunning,
  maximumActive,
  recordCaptured,
  recordIngested,
  withOrder,
} from '../../../src/grid/interface/external.ts'
import type {
  AttackDisableRequest,
  AttackEnableRequest,
  ExternalStatus,
  PacketBatch,
} from '../../../src/grid/interface/requests.ts'
import { encodeStreamEvent, type StreamEvent } from '../../../src/grid/records/broadcast.ts'
import type { NewRecords } from '../../../src/grid/records/records.ts'
import type { AttackDisableResult, AttackEnableResult, Topology } from '../../../src/grid/types.ts'
import { formatOpening, type Listeners } from '../listeners.ts'
import type { SimulationStore } from '../storage/simulation.ts'
import { disableNothing } from './attacks.ts'
import type { SimulationRun } from './run.ts'
import type { Publish } from './session.ts'

/** The outside half of a session. */
export type SimulationFeed = ReturnType<typeof openFeed>

/** Opens the outside half of a session from its table. */
export function openFeed(store: SimulationStore, run: SimulationRun) {
  // Written by `write`; what an earlier build wrote lacks what has come since.
  let state: ExternalState = { ...emptyExternal, ...(store.readExternal() as Partial<ExternalState>) }

  function write(next: ExternalState): void {
    store.writeExternal(next)
    state = next
  }

  function expectExternal(action: string): void {
    if (run.session().configuration.mode === 'external') return
    throw new GridError('out_of_order', `Cannot ${action}: the embedded engine drives this session`, {
      hint: 'POST /api/v1/sim/config {"mode": "external"} begins a session that you feed',
    })
  }

  function numbering() {
    return {
      nextFrameNo: run.records().frames.pushed + 1,
      newId: () => encodeHex(crypto.getRandomValues(new Uint8Array(4))),
    }
  }

  function append(records: NewRecords, publish: Publish): void {
    const firstNumber = run.records().incidents.pushed + 1
    const next = countIngested(state, records)
    store.writeExternal(next)
    run.append(records)
    // Memory follows the disk: nothing that could not be written is shown.
    state = next
    const output: StepOutput = { ...records, events: [] }
    publish(output, firstNumber)
  }

  function order(event: StreamEvent, listeners: Listeners): void {
    listeners.publish([encodeStreamEvent(event, run.session().sessionId)])
  }

  return {
    state: () => state,
    isRunning: (nowMs: number) => isExternalRunning(state, nowMs),
    reset: () => write(emptyExternal),
    /** The same in memory alone. */
    forget() {
      state = emptyExternal
    },

    /** Takes a batch once: the same source and number get the same answer again and change nothing. */
    packets(batch: PacketBatch, nowMs: number, publish: Publish): string {
      expectExternal('ingest packets')
      const known = store.readBatchReply(batch.source, batch.seq)
      if (known !== undefined) return known
      const limitS = nowMs / 1000 + 300
      const late = batch.packets.find(({ timestamp }) => timestamp > limitS)
      if (late !== undefined) {
        throw new GridError(
          'invalid_request',
          `Cannot ingest packets: timestamp ${late.timestamp} lies in the future`,
          {
            hint: 'Timestamps are Unix seconds; up to five minutes ahead of the server are taken',
          },
        )
      }
      const reply = JSON.stringify({ accepted: batch.packets.length, rejected: batch.rejected }, null, 2)
      store.together(() => {
        store.writeBatchReply(batch.source, batch.seq, reply)
        append(recordIngested(batch.packets, numbering()), publish)
      })
      return reply
    },

    /** Takes a whole capture file or nothing of it. */
    capture(bytes: Uint8Array, publish: Publish): string {
      expectExternal('ingest a capture')
      const frames = readCapture(bytes)
      store.together(() => append(recordCaptured(frames, numbering()), publish))
      return JSON.stringify({ accepted: frames.length }, null, 2)
    },

    topology(topology: Topology): string {
      expectExternal('ingest a topology')
      write({ ...state, topology })
      return JSON.stringify({ nodes: topology.nodes.length, links: topology.links.length }, null, 2)
    },

    status(status: ExternalStatus, nowMs: number): string {
      expectExternal('ingest a status')
      write({ ...state, status: { ...status, atMs: nowMs } })
      return JSON.stringify({ accepted: true, next_within_s: status.interval_s * 3 }, null, 2)
    },

    /** Passes an order on; without somebody who listens to the commands nothing is enabled. */
    enable(request: AttackEnableRequest, listeners: Listeners, nowMs: number): AttackEnableResult {
      const type = request.type.trim().toUpperCase()
      if (listeners.countFor('command') === 0) {
        return refused(
          type,
          'No attack hook is connected',
          'An outside simulator listens with GET /api/v1/ingest/commands',
        )
      }
      if (!hasRoomFor(state, type)) {
        return refused(
          type,
          `${maximumActive} attacks are active already`,
          'POST /api/v1/attack/disable {"type": ...} ends one',
        )
      }
      // What we know of a type is checked here; types of other simulators are theirs to check.
      const read = readOrder(request, telecontrolOf(run.world()), 0)
      const params = read.ok
        ? read.order.params
        : (JSON.parse(JSON.stringify(request.params)) as ExternalState['active'][number]['params'])
      const next = withOrder(state, type, params, nowMs)
      write(next.state)
      order({ topic: 'command', data: { command: 'enable', ...next.attack } }, listeners)
      const { attack_id, schedule } = next.attack
      return { success: true, attack_type: type, attack_id, effective_params: params, schedule }
    },

    disable(request: AttackDisableRequest, listeners: Listeners): AttackDisableResult {
      const { type, attack_id, mistakes = [] } = request
      if (mistakes.length > 0) return disableNothing(mistakes)
      const ended = state.active.filter(
        (attack) =>
          (type === undefined || attack.type === type) &&
          (attack_id === undefined || attack.attack_id === attack_id),
      )
      write({ ...state, active: state.active.filter((attack) => !ended.includes(attack)) })
      const disabled = ended.map((attack) => attack.attack_id)
      if (disabled.length > 0)
        order({ topic: 'command', data: { command: 'disable', attack_ids: disabled } }, listeners)
      const isAll = type === undefined && attack_id === undefined
      return {
        success: true,
        message: isAll ? 'All attacks disabled' : `${disabled.length} attacks disabled`,
        disabled,
      }
    },

    /** Opens the stream of commands: this is the hook of the contract. */
    listen(listeners: Listeners, name: string, signal: AbortSignal): Response {
      const opening = [encodeEventText(formatOpening(name))]
      for (const attack of state.active) {
        const event = { topic: 'command', data: { command: 'enable', ...attack } } as const
        opening.push(encodeStreamEvent(event, run.session().sessionId).plain)
      }
      return listeners.open({ topics: new Set(['command']), withIds: false }, opening, signal)
    },
  }
}

function refused(attack_type: string, error: string, hint: string): AttackEnableResult {
  return { success: false, attack_type, error, errors: [error], hint }
}
