/** The list of reservations and its sums beside scans of the whole list, over random histories with clocks that leap. */

import { describe, expect, it } from 'vitest'
import { createRandom } from '#base/random.ts'
import {
  countOpen,
  type KeptReservation,
  mostRemembered,
  openReservation,
  passTime,
  secondsUntilEnd,
  settleReservation,
  sumOpen,
} from '#ratelimit/reservation/reservations.ts'
import { sweep } from '../../support/sweep.ts'

/** Answers by reading every reservation. */
function scan(kept: readonly KeptReservation[], now: number, timeToLive: number) {
  const open = kept.filter(([, , , , , end]) => end === undefined)
  const over = kept.filter(([, , , , , end]) => end !== undefined)
  const isDrawnIn = kept.some(([, , , until]) => until > now + timeToLive)
  const isPast = open.some(([, , , until]) => until <= now) || over.some(([, , , until]) => now - until >= timeToLive)
  return {
    open: open.length,
    hits: open.reduce((sum, [, hits]) => sum + hits, 0),
    seconds: open.length === 0 ? undefined : Math.max(1, Math.min(...open.map(([, , , until]) => until)) - now),
    isDue: isDrawnIn || isPast,
  }
}

const histories = sweep(10_000, 300)

describe('the sums of reservations', () => {
  it(`are those of a scan over ${histories} random histories with clocks that leap`, () => {
    for (let seed = 0; seed < histories; seed++) {
      const random = createRandom(seed, 'sums of reservations')
      const timeToLive = random.integer(1, 60)
      let kept: readonly KeptReservation[] = []
      let now = 1_700_000_000
      for (let turn = 0; turn < 60; turn++) {
        now += random.uniform() < 0.1 ? random.integer(-200, 200) : random.integer(0, 3)
        const { isDue } = scan(kept, now, timeToLive)
        const passed = passTime(kept, now, timeToLive)
        expect([passed.isChanged, passed.reservations !== kept]).toEqual([isDue, isDue])
        kept = passed.reservations
        const id = String(random.integer(0, 9))
        if (random.uniform() < 0.6) {
          const reservation = { id, hits: random.integer(0, 9), start: now, until: now + timeToLive }
          kept = openReservation(kept, reservation) ?? expect.fail('too many are open')
        } else {
          const settlement = settleReservation(kept, id)
          if ('settled' in settlement) kept = settlement.reservations
        }
        const { open, hits, seconds } = scan(kept, now, timeToLive)
        expect([countOpen(kept), sumOpen(kept), secondsUntilEnd(kept, now)]).toEqual([open, hits, seconds])
        expect(kept.length - open).toBeLessThanOrEqual(mostRemembered)
      }
    }
  })
})
