/** The enabled attacks as clients see them: the newest one in the contract's fields, all of them in a list. */

import { findAttack } from '../attacks/catalogue.ts'
import type { ActiveAttack, AttackCounters, AttacksSnapshot } from '../contract/attacks.ts'
import type { AttackState, World } from '../step/world.ts'

/** The counters of a session that had no message yet. */
export const idleTotals: AttackCounters = { total_packets: 0, modified_packets: 0, dropped_packets: 0 }

/** The attack of a session that had none. */
const idleAttack = {
  type: 'NONE',
  enabled: false,
  params: {},
  schedule: { start_frame: 0, duration_frames: 0 },
  technique: null,
  since: null,
}

/** Describes the attacks of a world; after the last one ended its type stays, with `enabled` false. */
export function describeAttacks(world: World): AttacksSnapshot {
  const active = world.attacks.map((state) => toActive(state, true))
  return combineAttacks(world.totals, active, world.ended === null ? undefined : toActive(world.ended, false))
}

/** Puts the totals of all messages, the newest attack and the list of all together. */
export function combineAttacks(
  totals: World['totals'],
  active: readonly ActiveAttack[],
  ended: ActiveAttack | undefined,
): AttacksSnapshot {
  const newest = active.at(-1) ?? ended ?? { ...idleAttack, stats: totals }
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
