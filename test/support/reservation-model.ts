/** Brute-force model of windows with reservations: every window with its whole count, every reservation ever made. */

import type { Algorithm } from '#ratelimit/algorithm/algorithm.ts'
import type { ReservationStep, SettlementFault } from '#ratelimit/reservation/reservations.ts'
import { type Shown, showAt } from './algorithm-model.ts'

/** A hit of a history, and its answer. */
export interface ReservedHit {
  readonly addend: number
  readonly nowMs: number
  readonly step?: ReservationStep | undefined
}

/** The answer of the model. */
export interface ModelAnswer {
  readonly used: number
  readonly outstanding: number
  readonly fault?: SettlementFault | undefined
}

interface Made {
  readonly id: string
  readonly hits: number
  readonly start: number
  until: number
  state: 'open' | 'settled' | 'ended' | 'forgotten'
}

/** Makes the model of windows that take reservations. */
export function reservationModel(algorithm: Extract<Algorithm, { kind: 'fixed' | 'calendar' }>, limit: number) {
  const { unsettled = 'charged', timeToLive = 1 } = algorithm.reserve ?? {}
  let kept: Shown | undefined
  let made: Made[] = []
  const text = () => JSON.stringify(made.filter(({ state }) => state !== 'forgotten'))

  const open = () => made.filter(({ state }) => state === 'open')
  const countAt = ({ counts }: Shown) => counts[0]?.[1] ?? 0
  const add = (shown: Shown, hits: number, only?: number): Shown => ({
    ...shown,
    counts: shown.counts.map(([start, count]) =>
      only === undefined || only === start ? ([start, Math.max(0, count + hits)] as const) : ([start, count] as const),
    ),
  })

  /** Ends and forgets what is due, one after the other. */
  function pass(shown: Shown, now: number): Shown {
    let next = shown
    for (const one of made) {
      one.until = Math.min(one.until, now + timeToLive)
      if (one.state === 'open' && one.until <= now) {
        one.state = 'ended'
        if (unsettled === 'refunded') next = add(next, -one.hits, one.start)
      }
      if (one.until + timeToLive <= now) one.state = 'forgotten'
    }
    return next
  }

  function settle(shown: Shown, id: string, cost: number): [Shown, SettlementFault?] {
    const one = open().find((other) => other.id === id)
    if (one === undefined) {
      const last = made.findLast((other) => other.id === id && (other.state === 'settled' || other.state === 'ended'))
      return [shown, last?.state === 'settled' || last?.state === 'ended' ? last.state : 'not_found']
    }
    one.state = 'settled'
    // What was settled last is the latest that is remembered.
    made = [...made.filter((other) => other !== one), one]
    return [cost < one.hits ? add(shown, cost - one.hits, one.start) : add(shown, cost - one.hits)]
  }

  return {
    hit({ addend, nowMs, step }: ReservedHit): ModelAnswer {
      const now = Math.floor(nowMs / 1000)
      if (addend === 0 && step === undefined) {
        const saved = made.map((one) => ({ ...one }))
        const used = countAt(pass(showAt(kept, algorithm, now), now))
        const answer = { used, outstanding: open().reduce((sum, { hits }) => sum + hits, 0) }
        made = saved
        return answer
      }
      const madeBefore = text()
      let shown = pass(showAt(kept, algorithm, now), now)
      let isKept = kept !== undefined && text() !== madeBefore
      const before = countAt(shown)
      let fault: SettlementFault | undefined
      let used = before + addend
      if (step?.action === 'settle') {
        ;[shown, fault] = settle(shown, step.id, addend)
        used = countAt(shown)
        isKept ||= fault === undefined
      } else {
        const isSpared =
          before + addend > limit && (step !== undefined || (addend > 0 && algorithm.charge === 'admitted'))
        // A counter that is missing stays missing.
        isKept ||= !isSpared && (addend >= 0 || kept !== undefined)
        if (!isSpared) {
          shown = addend < 0 ? add(shown, addend, shown.counts[0]?.[0]) : add(shown, addend)
          used = countAt(shown)
        }
        if (step !== undefined && before + addend <= limit) {
          made.push({
            id: step.id,
            hits: addend,
            start: shown.counts[0]?.[0] ?? 0,
            until: now + timeToLive,
            state: 'open',
          })
        }
      }
      if (isKept) kept = shown
      return { used, outstanding: open().reduce((sum, { hits }) => sum + hits, 0), fault }
    },
  }
}
