/** The state of a session that an outside simulator feeds: what it last sent, and the attacks that were passed on to it. */

import type { ActiveAttack, AttackCounters, AttacksSnapshot } from '../contract/attacks.ts'
import type { Topology } from '../contract/grid.ts'
import type { NewRecords } from '../records/records.ts'
import type { IncidentRecord } from '../types.ts'
import type { ExternalStatus } from './ingest-requests.ts'
import { combineAttacks, idleTotals } from './snapshot.ts'

/** Everything that an outside simulator sent to the session, besides its records. */
export interface ExternalState {
  readonly topology: Topology | null
  readonly status: (ExternalStatus & { readonly atMs: number }) | null
  /** Attacks that were passed on and not ended. */
  readonly active: readonly ActiveAttack[]
  /** Number of orders passed on so far; the next one's number follows. */
  readonly orders: number
  /** Messages seen, altered and lost since the session began. */
  readonly counters: AttackCounters
}

/** A session before its first ingestion. */
export const emptyExternal: ExternalState = {
  topology: null,
  status: null,
  active: [],
  orders: 0,
  counters: idleTotals,
}

/** Heartbeats in a row that an outside simulator may miss before it no longer counts as running. */
const missedHeartbeats = 3

/** Tests that the outside simulator runs, by its heartbeats. */
export function isExternalRunning({ status }: ExternalState, nowMs: number): boolean {
  if (status === null || !status.running) return false
  return nowMs - status.atMs <= status.interval_s * 1000 * missedHeartbeats
}

/** Adds ingested messages to the counters. */
export function countIngested(state: ExternalState, { incidents }: NewRecords): ExternalState {
  const count = (status: IncidentRecord['status']) => incidents.filter((incident) => incident.status === status).length
  const { total_packets, modified_packets, dropped_packets } = state.counters
  return {
    ...state,
    counters: {
      total_packets: total_packets + incidents.length,
      modified_packets: modified_packets + count('attacked'),
      dropped_packets: dropped_packets + count('dropped'),
    },
  }
}

/** Most attacks that are passed on at a time: with their parameters they still fit the row that keeps them. */
export const maximumActive = 16

/** Tests that an attack of a type can be passed on; one that is active already is replaced by it. */
export function hasRoomFor({ active }: ExternalState, type: string): boolean {
  return active.filter((one) => one.type !== type).length < maximumActive
}

/** Adds an attack that is passed on to the outside simulator, where there is room for it. */
export function withOrder(
  state: ExternalState,
  type: string,
  { params, schedule }: Pick<ActiveAttack, 'params' | 'schedule'>,
  nowMs: number,
): { readonly state: ExternalState; readonly attack: ActiveAttack } {
  const orders = state.orders + 1
  const attack: ActiveAttack = {
    attack_id: `${type}-${orders}`,
    type,
    enabled: true,
    params,
    schedule,
    stats: idleTotals,
    technique: null,
    since: nowMs / 1000,
  }
  const others = state.active.filter((one) => one.type !== type)
  return { state: { ...state, orders, active: [...others, attack] }, attack }
}

/** The attacks of an outside simulator, in the shape of our own. */
export function combineExternal({ counters, active }: ExternalState): AttacksSnapshot {
  return combineAttacks(counters, active, undefined)
}

/** The heartbeat of an outside simulator, for the simulation's description. */
export function describeExternalSimulation({ status, counters }: ExternalState): Readonly<Record<string, unknown>> {
  if (status === null) return { external: { heard: false, ...counters } }
  const { uptime_s = null, atMs } = status
  return { external: { heard: true, heard_at: atMs / 1000, uptime_s, ...counters } }
}
