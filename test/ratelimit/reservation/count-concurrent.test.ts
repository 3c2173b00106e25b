/** Hits that are held beside a brute-force model, by random histories and clocks that leap; and their bounds. */

import { describe, expect, it } from 'vitest'
import { createRandom } from '#base/random.ts'
import type { Algorithm } from '#ratelimit/algorithm/algorithm.ts'
import { countHit } from '#ratelimit/algorithm/count-hit.ts'
import { maxHits, type Window } from '#ratelimit/counter.ts'
import type { ReservationStep } from '#ratelimit/reservation/reservations.ts'
import { reservationModel } from '../../support/reservation-model.ts'
import { sweep } from '../../support/sweep.ts'

const nowMs = 1_700_000_000_000
const minute: Algorithm = { kind: 'concurrency', seconds: 60, charge: 'admitted' }
const acquire = (id: string): ReservationStep => ({ action: 'reserve', id })
const release = (id: string): ReservationStep => ({ action: 'settle', id })

/** Plays hits on one counter. */
function play(limit: number) {
  let window: Window | undefined
  return (addend: number, step?: ReservationStep, atMs = nowMs) => {
    const counted = countHit(minute, window, { addend, limit, nowMs: atMs, step })
    window = counted.window ?? window
    return counted
  }
}

const histories = sweep(150_000, 1_000)

describe('countConcurrent()', () => {
  it(`agrees with the model over ${histories} random histories with clocks that leap`, () => {
    for (let seed = 0; seed < histories; seed++) {
      const random = createRandom(seed, 'concurrency')
      const seconds = random.integer(1, 100)
      const limit = random.integer(0, 12)
      // A window without an end, in which a holder is a reservation that costs nothing.
      const reserve = { unsettled: 'refunded', timeToLive: seconds } as const
      const model = reservationModel({ kind: 'fixed', seconds: maxHits, charge: 'all', reserve }, limit)
      let window: Window | undefined
      let at = nowMs + random.integer(0, 100_000_000)
      for (let turn = 0; turn < 20; turn++) {
        const way = random.uniform()
        if (way > 0.3) at += random.integer(0, seconds * (way < 0.9 ? 400 : 3_000))
        if (way > 0.95) at += random.integer(-43_200_000, 43_200_000)
        const id = 'abc'.charAt(random.integer(0, 2))
        const step = [undefined, acquire(id), acquire(id), release(id)][random.integer(0, 3)]
        const addend = step?.action === 'reserve' ? random.integer(0, 5) : 0
        const counted = countHit({ kind: 'concurrency', seconds, charge: 'admitted' }, window, {
          addend,
          limit,
          nowMs: at,
          step,
        })
        const { used, outstanding, fault } = model.hit({ addend, nowMs: at, step })
        const got = JSON.stringify([counted.after, counted.outstanding, counted.fault])
        const expected = JSON.stringify([used, outstanding, fault])
        const isWait = counted.secondsUntilReset >= 1 && counted.secondsUntilReset <= seconds
        if (got !== expected || !isWait) {
          expect.fail(`seed ${seed}, turn ${turn}: ${JSON.stringify(counted)}, expected ${expected}`)
        }
        // A ceiling on disk may be ahead of what is held.
        window = counted.window === null ? window : { ...counted.window, hits: counted.window.hits + 7 }
      }
    }
  })

  it('holds until a release, which gives back all hits of its holder', () => {
    const hit = play(2)
    expect([hit(1, acquire('a')).after, hit(1, acquire('b')).after, hit(1, acquire('c')).after]).toEqual([1, 2, 3])
    expect(hit(7, release('a')).after).toBe(1)
    expect(hit(1, release('a')).fault).toBe('settled')
    expect(hit(1, release('c')).fault).toBe('not_found')
    expect(hit(0).outstanding).toBe(1)
  })

  it('gives back what a lost holder has, after the time to live', () => {
    const hit = play(1)
    hit(1, acquire('a'))
    expect(hit(1, acquire('b'), nowMs + 20_000)).toMatchObject({ after: 2, secondsUntilReset: 40 })
    expect(hit(1, acquire('b'), nowMs + 60_000).after).toBe(1)
    expect(hit(1, release('a'), nowMs + 60_000).fault).toBe('ended')
  })

  it('never admits a hit without a holder, and gives none back', () => {
    const hit = play(5)
    hit(3, acquire('a'))
    expect([hit(1).after, hit(-2).after, hit(0).after]).toEqual([6, 3, 3])
  })
})
