/** What a node does without being asked, and when: interval blocks, the ends of epochs, and the settlement of markets. */

import { epochSeconds } from './bridges.ts'
import { nextTick } from './markets/cron.ts'
import { settleDueMarkets } from './markets/settle-due.ts'
import { mine, mineWaiting, type Node } from './node.ts'
import { bridges } from './profiles.ts'
import { readClock, readMining } from './state/control.ts'
import { findOpenEpoch, findUnconfirmed, listClaims } from './state/epochs.ts'
import { readSettlementSettings } from './state/market-settings.ts'
import { firstDueTime } from './state/markets.ts'

/** When the node acts next, in UNIX milliseconds of the world's clock; a duty that it does not have is undefined. */
export interface DutyPlan {
  /** The next block of interval mining, and the interval it was planned for. */
  readonly block?: { readonly atMs: number; readonly intervalMs: number } | undefined
  /** The end of the first epoch with withdrawals. */
  readonly epochMs?: number | undefined
  /** The leader's next settlement job. */
  readonly settlementMs?: number | undefined
}

/** An alarm further ahead than this is set again on the way, in milliseconds: thirty days. */
const farthestMs = 2_592_000_000

/**
 * Plans what comes next.
 *
 * @param before - the plan so far: what is late stays planned, and an interval that has begun goes on.
 */
export function planDuties(node: Node, before: DutyPlan): DutyPlan {
  return {
    block: planBlock(node, before.block),
    epochMs: planEpoch(node),
    settlementMs: planSettlement(node, before.settlementMs),
  }
}

/** When the first duty of a plan is due, in UNIX milliseconds; undefined when there is none. */
export function firstDuty({ block, epochMs, settlementMs }: DutyPlan, nowMs: number): number | undefined {
  const first = Math.min(block?.atMs ?? Infinity, epochMs ?? Infinity, settlementMs ?? Infinity)
  return first === Infinity ? undefined : Math.min(first, nowMs + farthestMs)
}

/**
 * Does what a plan has for now.
 *
 * @param untilMs - UNIX milliseconds: duties planned up to then.
 */
export function performDuties(node: Node, plan: DutyPlan, untilMs: number): void {
  const isDue = (atMs: number | undefined) => atMs !== undefined && atMs <= untilMs
  if (isDue(plan.block?.atMs)) mine(node)
  if (isDue(plan.epochMs)) {
    mine(node)
    mineWaiting(node)
  }
  if (isDue(plan.settlementMs)) settleDueMarkets(node)
}

function planBlock({ store, nowMs }: Node, before: DutyPlan['block']): DutyPlan['block'] {
  const mining = readMining(store)
  if (mining.kind !== 'interval') return undefined
  const { intervalMs } = mining
  return before?.intervalMs === intervalMs ? before : { atMs: nowMs + intervalMs, intervalMs }
}

/** Where blocks come by themselves or by hand an epoch ends with one of those. */
function planEpoch({ store, nowMs }: Node): number | undefined {
  if (readMining(store).kind !== 'auto') return undefined
  const { offsetMs } = readClock(store)
  const ends = bridges.flatMap((bridge) => {
    const open = findOpenEpoch(store, bridge)
    if (open === undefined || findUnconfirmed(store, bridge) !== undefined) return []
    const [claim] = listClaims(store, bridge, open.start)
    return claim === undefined ? [] : [(open.startTime + epochSeconds) * 1000 - offsetMs]
  })
  return ends.length === 0 ? undefined : Math.max(nowMs, Math.min(...ends))
}

/**
 * The first tick of the network's schedule at which a market is due. A clock that is moved ahead skips ticks, and
 * none of them is made up for: what a test does right after the move is its own.
 */
function planSettlement({ store, settings, nowMs }: Node, before: number | undefined): number | undefined {
  if (!settings.settlesMarkets || settings.nodeKey === undefined) return undefined
  const { isEnabled, schedule } = readSettlementSettings(store)
  const due = isEnabled ? firstDueTime(store) : undefined
  if (due === undefined) return undefined
  if (before !== undefined && before <= nowMs) return before
  const { offsetMs } = readClock(store)
  const tick = nextTick(schedule, Math.max(nowMs + offsetMs, Number(due) * 1000 - 1))
  return tick === undefined ? undefined : tick - offsetMs
}
