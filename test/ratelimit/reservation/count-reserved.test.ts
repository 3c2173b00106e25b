/** Reservations beside a brute-force model, by random histories and clocks that leap; and their bounds. */

import { describe, expect, it } from 'vitest'
import { createRandom, type Random } from '#base/random.ts'
import type { Algorithm } from '#ratelimit/algorithm/algorithm.ts'
import { countHit } from '#ratelimit/algorithm/count-hit.ts'
import type { Window } from '#ratelimit/counter.ts'
import {
  mostOpen,
  mostRemembered,
  type ReservationRule,
  type ReservationStep,
} from '#ratelimit/reservation/reservations.ts'
import { moveClock } from '../../support/algorithm-model.ts'
import { reservationModel } from '../../support/reservation-model.ts'
import { sweep } from '../../support/sweep.ts'

type Reserving = Extract<Algorithm, { kind: 'fixed' | 'calendar' }>

function pick<T>(random: Random, list: readonly [T, ...T[]]): T {
  return list[random.integer(0, list.length - 1)] ?? list[0]
}

function drawAlgorithm(random: Random): Reserving {
  const charge = pick(random, ['all', 'admitted'] as const)
  const reserve: ReservationRule = {
    unsettled: pick(random, ['charged', 'refunded']),
    timeToLive: pick(random, [1, 5, 60, 3_600]),
  }
  // A scan for the start of a day is slow, so that few histories have one.
  if (random.uniform() < 0.02) {
    return { kind: 'calendar', seconds: 86_400, period: 'day', zone: 'Europe/Berlin', charge, reserve }
  }
  return { kind: 'fixed', seconds: pick(random, [1, 7, 60, 900]), charge, reserve }
}

function drawStep(random: Random): ReservationStep | undefined {
  const id = pick(random, ['a', 'b', 'c'])
  return pick<ReservationStep | undefined>(random, [undefined, { action: 'reserve', id }, { action: 'settle', id }])
}

const histories = sweep(150_000, 1_000)

describe('countReserved()', () => {
  it(`agrees with the model over ${histories} random histories with clocks that leap`, () => {
    for (let seed = 0; seed < histories; seed++) {
      const random = createRandom(seed, 'reservations')
      const algorithm = drawAlgorithm(random)
      const limit = random.integer(0, 12)
      const model = reservationModel(algorithm, limit)
      let window: Window | undefined
      let nowMs = 1_700_000_000_000 + random.integer(0, 100_000_000)
      for (let at = 0; at < 20; at++) {
        const timeToLive = algorithm.reserve?.timeToLive ?? 1
        nowMs = moveClock(nowMs, pick(random, [algorithm.seconds, timeToLive]) * 1000, random)
        const step = drawStep(random)
        const addend = step === undefined ? pick(random, [1, 2, 0, -1]) : random.integer(0, 6)
        const counted = countHit(algorithm, window, { addend, limit, nowMs, step })
        const { used, outstanding, fault } = model.hit({ addend, nowMs, step })
        const got = [counted.after, counted.outstanding ?? 0, counted.fault]
        if (JSON.stringify(got) !== JSON.stringify([used, outstanding, fault]) || !(counted.secondsUntilReset >= 1)) {
          const place = `seed ${seed}, step ${at}: ${JSON.stringify({ algorithm, limit, addend, step })}`
          expect.fail(`${place}: ${JSON.stringify(counted)}, expected ${JSON.stringify([used, outstanding, fault])}`)
        }
        window = counted.window ?? window
      }
    }
  })
})

const nowMs = 1_700_000_000_000
const hour: Reserving = {
  kind: 'fixed',
  seconds: 3_600,
  charge: 'all',
  reserve: { unsettled: 'refunded', timeToLive: 60 },
}

/** Plays hits on one counter. */
function play(algorithm: Reserving, limit: number) {
  let window: Window | undefined
  return {
    hit(addend: number, step?: ReservationStep, atMs = nowMs) {
      const counted = countHit(algorithm, window, { addend, limit, nowMs: atMs, step })
      window = counted.window ?? window
      return counted
    },
    kept: () => window?.reservations ?? [],
  }
}

const reserve = (id: string): ReservationStep => ({ action: 'reserve', id })
const settle = (id: string): ReservationStep => ({ action: 'settle', id })

describe('a settlement', () => {
  it('counts the true cost, also beyond the limit', () => {
    const { hit } = play(hour, 10)
    expect(hit(8, reserve('a')).after).toBe(8)
    expect(hit(3, settle('a')).after).toBe(3)
    expect(hit(6, reserve('b')).after).toBe(9)
    expect(hit(20, settle('b')).after).toBe(23)
    expect(hit(1, reserve('c')).after).toBe(24)
  })

  it('gives back to the window of its reservation only, and counts what is more in the open one', () => {
    const { hit } = play({ ...hour, reserve: { unsettled: 'charged', timeToLive: 7_200 } }, 10)
    hit(8, reserve('a'))
    hit(8, reserve('b'), nowMs + 3_600_000)
    expect(hit(1, settle('a'), nowMs + 3_600_000).after).toBe(8)
    expect(hit(9, settle('b'), nowMs + 7_200_000).after).toBe(1)
  })

  it('has its fault: unknown, settled before, or too late, until it is forgotten', () => {
    const { hit } = play(hour, 10)
    hit(1, reserve('a'))
    hit(1, reserve('b'))
    expect(hit(1, settle('c')).fault).toBe('not_found')
    expect(hit(1, settle('a')).fault).toBeUndefined()
    expect(hit(1, settle('a')).fault).toBe('settled')
    expect(hit(1, settle('b'), nowMs + 60_000).fault).toBe('ended')
    expect(hit(1, settle('b'), nowMs + 119_999).fault).toBe('ended')
    expect(hit(1, settle('b'), nowMs + 120_000).fault).toBe('not_found')
  })
})

describe('a reservation', () => {
  it('that is refused counts nothing and opens nothing', () => {
    const { hit, kept } = play(hour, 10)
    hit(6, reserve('a'))
    expect(hit(5, reserve('b')).after).toBe(11)
    expect([hit(0).after, kept().length]).toEqual([6, 1])
  })

  it.each([
    ['refunded', 0],
    ['charged', 4],
  ] as const)('without a settlement ends %s', (unsettled, used) => {
    const { hit } = play({ ...hour, reserve: { unsettled, timeToLive: 60 } }, 10)
    hit(4, reserve('a'))
    expect([hit(0, undefined, nowMs + 59_999).after, hit(0, undefined, nowMs + 60_000).after]).toEqual([4, used])
  })

  it('beyond the most that are open is refused, and passes once one is settled', () => {
    const { hit, kept } = play(hour, 4_000_000_000)
    for (let at = 0; at < mostOpen; at++) hit(1, reserve(`r${at}`))
    expect(hit(1, reserve('more')).after).toBeGreaterThan(4_000_000_000)
    expect(kept()).toHaveLength(mostOpen)
    hit(1, settle('r0'))
    expect(hit(1, reserve('more')).after).toBe(mostOpen + 1)
  })

  it('that is over is remembered among a bounded number', () => {
    const { hit, kept } = play(hour, 1_000_000)
    for (let at = 0; at < mostRemembered + 20; at++) {
      hit(1, reserve(`r${at}`))
      hit(1, settle(`r${at}`))
    }
    expect(kept()).toHaveLength(mostRemembered)
    expect(hit(1, settle('r19')).fault).toBe('not_found')
    expect(hit(1, settle('r20')).fault).toBe('settled')
  })

  it('of a clock that was ahead ends a time to live after the clock came back', () => {
    const { hit } = play(hour, 10)
    hit(4, reserve('a'), nowMs + 86_400_000_000)
    expect(hit(1, reserve('b')).outstanding).toBe(5)
    expect(hit(0, undefined, nowMs + 60_000).outstanding).toBe(0)
  })
})
