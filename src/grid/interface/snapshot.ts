/** The enabled attacks as clients see them: the newest one in the contract's fields, all of them in a list. */

import { findAttack } from '../attacks/catalogue.ts'
import type { ActiveAttack, AttacksSnapshot } from '../contract/attacks.ts'
import type { AttackState, World } from '../step/world.ts'

/** The snapshot of a session that had no attack yet. */
export const idleSnapshot: AttacksSnapshot = {
  total_packets: 0,
  modified_packets: 0,
  dropped_packets: 0,
  type: 'NONE',
  enabled: false,
  params: {},
  schedule: { start_frame: 0, duration_frames: 0 },
  stats: { total_packets: 0, modified_packets: 0, dropped_packets: 0 },
  technique: null,
  since: null,
  active: [],
}

/** Describes the attacks of a world; after the last one ended its type stays, with `enabled` false. */
export function describeAttacks(world: World): AttacksSnapshot {
  const active = world.attacks.map((state) => toActive(state, true))
  return combine(world.totals, active, world.ended === null ? undefined : toActive(world.ended, false))
}

/** Puts the totals of all messages, the newest attack and the list of all together. */
export function combine(
  totals: World['totals'],
  active: readonly ActiveAttack[],
  ended: ActiveAttack | undefined,
): AttacksSnapshot {
  const newest = active.at(-1) ?? ended
  if (newest === undefined) return { ...idleSnapshot, ...totals, stats: totals }
  const { type, enabled, params, schedule, stats, technique, since } = newest
  return { ...totals, type, enabled, params, schedule, stats, technique, since, active }
}

function toActive({ order, counters, sinceUs }: AttackState, enabled: boolean): ActiveAttack {
  return {
    attack_id: order.attack_id,
    type: order.type,
    enabled,
    params: order.params,
    schedule: order.schedule,
    stats: counters,
    technique: findAttack(order.type)?.technique ?? null,
    since: sinceUs / 1e6,
  }
}
