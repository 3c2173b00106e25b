/** The shares of one holder, an isolate: hits are admitted from them, and more is asked for before they are empty. */

import type { Hits } from '../ports.ts'
import type { Unit } from '../types.ts'
import { unitSeconds, units } from '../window.ts'
import { isSilent, longestSilenceMs, millisecondsFor, noteDemand, wantedHits } from './demand.ts'
import { type Answered, closeUsedLeases, hasRoomForLease, releaseShare, type Share, takeDraw } from './held-lease.ts'
import { createShareTable, type LeasedName } from './held-leases.ts'
import type { Draw, WireDraw } from './lease.ts'

/** Hits that may be admitted from a share. */
export interface LeasedHit extends LeasedName {
  /** At least 1. */
  readonly addend: number
  /** Requests per unit. */
  readonly limit: number
}

/** Hits that were admitted from a share. */
export interface Admitted extends Hits {
  /** Milliseconds within which more should be asked for; null when there is enough, or a question is on its way. */
  readonly askWithinMs: number | null
}

/** A share that has more than its holder uses. */
export interface Surplus extends LeasedName {
  readonly limit: number
}

/** The shares of one holder. Times are Unix milliseconds of its clock, which may differ from every other. */
export interface Shares {
  /** Admits hits from the share; null when the counter must be asked. */
  admit(hit: LeasedHit, nowMs: number): Admitted | null
  /**
   * Writes the question that counts hits which no share admits; it asks for a lease as well unless another question
   * does. What is left of a share that is too small goes back in it, so that it does not block the hits.
   */
  ask(hit: LeasedHit, nowMs: number): WireDraw
  /** Writes the question for more ahead of time; null when it is not due any more. */
  askAhead(name: LeasedName, limit: number, nowMs: number): WireDraw | null
  /** Takes the answer to a question. */
  take(wire: WireDraw, draw: Draw, answered: Answered): void
  /** Notes that the answer to a question will not come: its lease is lost, what it returned is returned again. */
  lose(wire: WireDraw): void
  /** The shares that are not hit any more, or of which less than half is needed; all where none is hit any more. */
  surplus(nowMs: number): readonly Surplus[]
  /** Writes the question that returns a share, and asks for what is needed of it; null when nothing is left. */
  giveBack(surplus: Surplus, nowMs: number): WireDraw | null
  /** Shares with hits left. */
  readonly size: number
}

/** A question without an answer for so long is taken for lost. */
const lostMs = 10_000
/** The longest wait before more is asked for, so that one message carries many questions. */
const longestWaitMs = 250
/** The part of what is left that may be used before the question is sent. */
const waitPart = 0.25
/**
 * Clocks read by requests that overlap differ by so much; a clock that went back farther was set. One that was set back
 * by less cannot be told from that, so leases end so much earlier.
 */
const jitterMs = 1_000

/**
 * Makes a holder without any share.
 *
 * @param most - shares that are kept; see `createShareTable`.
 */
export function createShares(most: number): Shares {
  const table = createShareTable(most)
  let latestMs = 0
  /** Time of the last hit of any counter. */
  let hitMs = 0

  /** The moment, which does not go back; after a clock that was set back no share is used. */
  function moment(nowMs: number): number {
    if (nowMs < latestMs - jitterMs) {
      table.each(releaseShare)
      latestMs = nowMs
    }
    latestMs = Math.max(latestMs, nowMs)
    return latestMs
  }

  /** A holder that nothing hits any more may be evicted: it returns everything, while its last request still can. */
  function isLeft(share: Share, nowMs: number): boolean {
    return nowMs - hitMs >= longestSilenceMs || isSilent(share.demand, share, nowMs)
  }

  function wantedBy(share: Share, unit: Unit, limit: number, nowMs: number): number {
    if (share.asking === 'now' && nowMs - share.askedMs < lostMs) return 0
    if (!hasRoomForLease(share)) return 0
    const known = share.endsAtMs - nowMs
    const restMs = known > 0 ? known : unitSeconds[unit] * 1000
    // What makes room for others is lost: a full table holds nothing of counters that are rarely hit.
    return wantedHits(share.demand, limit, { restMs, mayBeSmall: !table.isFull() }, nowMs)
  }

  function write(
    { key, unit }: LeasedName,
    share: Share,
    { addend, limit, wanted }: { addend: number; limit: number; wanted: number },
    nowMs: number,
  ): WireDraw {
    closeUsedLeases(share)
    const returned = share.closing
    share.closing = []
    if (wanted > 0) Object.assign(share, { asking: 'now', askedMs: nowMs })
    else if (share.asking === 'soon') share.asking = 'not'
    return [key, units.indexOf(unit), addend, limit, wanted, 0, returned]
  }

  function nameOf([key, unitIndex]: WireDraw): LeasedName {
    return { key, unit: units[unitIndex] ?? 'SECOND' }
  }

  return {
    admit(hit, asOfMs) {
      const nowMs = moment(asOfMs)
      const share = table.find(hit)
      if (share === undefined || share.left < hit.addend) return null
      if (hit.limit < share.limit || nowMs >= share.endsAtMs) return null
      noteDemand(share.demand, hit.addend, nowMs)
      hitMs = nowMs
      share.left -= hit.addend
      return {
        after: Math.max(hit.addend, share.limit - share.rest - share.left) + hit.limit - share.limit,
        secondsUntilReset: secondsTo(share.resetAtMs, nowMs, hit.unit),
        askWithinMs: isLow(share) ? waitFor(share) : null,
      }
    },

    ask(hit, asOfMs) {
      const nowMs = moment(asOfMs)
      const { addend, limit, unit } = hit
      const share = table.findOrAdd(hit, nowMs)
      if (share === undefined) return [hit.key, units.indexOf(unit), addend, limit, 0, 0, []]
      noteDemand(share.demand, addend, nowMs)
      hitMs = nowMs
      if (share.left > 0) releaseShare(share)
      if (nowMs >= share.resetAtMs) share.closing = []
      return write(hit, share, { addend, limit, wanted: wantedBy(share, unit, limit, nowMs) }, nowMs)
    },

    askAhead(name, limit, asOfMs) {
      const nowMs = moment(asOfMs)
      const share = table.find(name)
      if (share === undefined || share.asking !== 'soon' || nowMs >= share.endsAtMs) {
        if (share?.asking === 'soon') share.asking = 'not'
        return null
      }
      const wanted = wantedBy(share, name.unit, limit, nowMs)
      return write(name, share, { addend: 0, limit, wanted }, nowMs)
    },

    take(wire, draw, answered) {
      const name = nameOf(wire)
      const share = table.find(name)
      if (share === undefined) return
      if (wire[4] > 0) share.asking = 'not'
      // A window of a second has no room for such a margin.
      const setBackMs = name.unit === 'SECOND' ? 0 : jitterMs
      takeDraw(share, draw, { ...answered, nowMs: moment(answered.nowMs) }, setBackMs)
      table.refresh(name)
    },

    lose(wire) {
      const share = table.find(nameOf(wire))
      if (share === undefined) return
      if (wire[4] > 0) share.asking = 'not'
      share.closing = [...share.closing, ...wire[6]]
    },

    surplus(asOfMs) {
      const nowMs = moment(asOfMs)
      const found: Surplus[] = []
      table.each((share, key, unit) => {
        const isHeld = share.left > 0 && nowMs < share.endsAtMs
        if (isHeld && (isLeft(share, nowMs) || isTooMuch(share, nowMs))) found.push({ key, unit, limit: share.limit })
      })
      return found
    },

    giveBack(surplus, asOfMs) {
      const nowMs = moment(asOfMs)
      const share = table.find(surplus)
      if (share === undefined || share.left === 0) return null
      const { unit, limit } = surplus
      const isOver = isLeft(share, nowMs)
      releaseShare(share)
      const wanted = isOver ? 0 : wantedBy(share, unit, limit, nowMs)
      return write(surplus, share, { addend: 0, limit, wanted }, nowMs)
    },

    get size() {
      let size = 0
      table.each(({ left }) => {
        if (left > 0) size += 1
      })
      return size
    },
  }
}

/** Half of a share is used and no question is on its way. */
function isLow({ left, lot, asking }: Share): boolean {
  return asking === 'not' && left * 2 <= lot
}

/** Marks that a question is to be sent, and tells within how long. */
function waitFor(share: Share): number {
  share.asking = 'soon'
  return Math.min(longestWaitMs, waitPart * millisecondsFor(share.left, share.demand))
}

function isTooMuch(share: Share, nowMs: number): boolean {
  const rest = { restMs: share.endsAtMs - nowMs, mayBeSmall: true }
  const needed = wantedHits(share.demand, share.limit, rest, nowMs)
  return share.asking === 'not' && share.left > 2 * Math.max(needed, 2)
}

function secondsTo(resetAtMs: number, nowMs: number, unit: Unit): number {
  return Math.min(unitSeconds[unit], Math.max(1, Math.ceil((resetAtMs - nowMs) / 1000)))
}
