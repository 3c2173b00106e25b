/** Duties of a node and their times: interval blocks, the ends of epochs, and the settlement of markets. */

import { epochSeconds } from './bridges.ts'
import { nextTick } from './markets/cron.ts'
import { settleDueMarkets } from './markets/settle-due.ts'
import { hasWaiting, mine, mineWaiting, type Node, type ReadonlyNode } from './node.ts'
import { bridges } from './profiles.ts'
import { readClock, readMining } from './state/control.ts'
import { findOpenEpoch, findUnconfirmed, listClaims } from './state/epochs.ts'
import { readMarketSettings } from './state/market-settings.ts'
import { firstDueTime } from './state/markets.ts'

/** The next times at which the node acts, in UNIX milliseconds of the world's clock; undefined for no such duty. */
export interface DutyPlan {
  /** The next block of interval mining, and the interval it was planned for; 0 where blocks are made at once. */
  readonly block?: { readonly atMs: number; readonly intervalMs: number } | undefined
  /** The end of the first epoch with withdrawals. */
  readonly epochMs?: number | undefined
  /** The leader's next settlement job. */
  readonly settlementMs?: number | undefined
}

/** A duty further ahead than two of these is planned again on the way, in milliseconds: fifteen days. */
const hopMs = 1_296_000_000
/** The delay with which a settlement job still runs, in milliseconds: as long as an object may take to start. */
const graceMs = 60_000

/** Plans the next duties. A settlement that is a little late and an interval that has begun stay as planned before. */
export function planDuties(node: ReadonlyNode, before: DutyPlan): DutyPlan {
  return {
    block: planBlock(node, before.block),
    epochMs: planEpoch(node),
    settlementMs: planSettlement(node, before.settlementMs),
  }
}

/** The time to look at a plan again, in UNIX milliseconds; undefined when it has no duty. */
export function alarmTime(plan: DutyPlan, nowMs: number): number | undefined {
  const first = earliest(plan)
  if (first === Infinity) return undefined
  return first <= nowMs + 2 * hopMs ? first : nowMs + hopMs
}

/** Does the duties that are due at an alarm. An alarm may come early: the first duty then counts as due. */
export function performDuties(node: Node, plan: DutyPlan): void {
  const first = earliest(plan)
  const untilMs = first - node.nowMs < hopMs ? Math.max(first, node.nowMs) : node.nowMs
  const isDue = (atMs: number | undefined) => atMs !== undefined && atMs <= untilMs
  if (isDue(plan.block?.atMs)) mine(node)
  if (isDue(plan.epochMs)) {
    mine(node)
    mineWaiting(node)
  }
  if (isDue(plan.settlementMs)) settleDueMarkets(node)
}

function earliest({ block, epochMs, settlementMs }: DutyPlan): number {
  return Math.min(block?.atMs ?? Infinity, epochMs ?? Infinity, settlementMs ?? Infinity)
}

function planBlock(node: ReadonlyNode, before: DutyPlan['block']): DutyPlan['block'] {
  const { store, nowMs } = node
  const mining = readMining(store)
  // What found no room in the last block has the next one at once, in a separate turn of the object.
  if (mining.kind === 'auto' && hasWaiting(node))
    return before?.intervalMs === 0 ? before : { atMs: nowMs, intervalMs: 0 }
  if (mining.kind !== 'interval') return undefined
  const { intervalMs } = mining
  return before?.intervalMs === intervalMs ? before : { atMs: nowMs + intervalMs, intervalMs }
}

/** Plans the end of an epoch, where no block is due by itself that would end it. */
function planEpoch({ store, nowMs }: ReadonlyNode): number | undefined {
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

/** The first tick of the schedule at which a market is due; ticks that a moved clock skips are not made up for. */
function planSettlement({ store, settings, nowMs }: ReadonlyNode, before: number | undefined): number | undefined {
  if (!settings.settlesMarkets || settings.nodeKey === undefined) return undefined
  const { isEnabled, schedule } = readMarketSettings(store, 'settlement')
  const due = isEnabled ? firstDueTime(store) : undefined
  if (due === undefined) return undefined
  if (before !== undefined && before <= nowMs && before > nowMs - graceMs) return before
  const { offsetMs } = readClock(store)
  const tick = nextTick(schedule, Math.max(nowMs + offsetMs, Number(due) * 1000 - 1))
  return tick === undefined ? undefined : tick - offsetMs
}
