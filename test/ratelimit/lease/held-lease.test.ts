/** A held lease of one counter: it comes, is used up, is given up and ends. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  applyAnswer,
  closeUsedLeases,
  emptyLease,
  type HeldLease,
  hasRoomForLease,
  releaseLease,
} from '#ratelimit/lease/held-lease.ts'
import type { Draw } from '#ratelimit/lease/lease.ts'

const sentMs = 1_200_000

function drawOf(granted: number, fields: Partial<Draw> = {}): Draw {
  return {
    after: granted,
    windowStart: 1_200,
    millisecondsUntilReset: 60_000,
    granted,
    outstanding: granted,
    faults: 0,
    ...fields,
  }
}

/** Takes a draw that was asked at `sentMs` under the limit 100, and answered at once. */
function take(lease: HeldLease, id: number, draw: Draw, limit = 100, nowMs = sentMs): void {
  applyAnswer(lease, draw, { id, limit, sentMs: nowMs, nowMs }, 0)
}

/** A lease with leases 1, 2 and so on of so many hits each. */
function leaseOf(...granted: readonly number[]): HeldLease {
  const lease = emptyLease(sentMs)
  for (const [at, hits] of granted.entries()) take(lease, at + 1, drawOf(hits))
  return lease
}

const open = (id: number, granted: number) => ({ id, granted })
const back = (id: number, unused: number) => ({ id, unused })
const openOf = ({ leases }: HeldLease) => leases.reduce((sum, { granted }) => sum + granted, 0)

describe('applyAnswer()', () => {
  it('opens a lease until the end of the window, less 1 % for the clocks', () => {
    const lease = leaseOf(10)
    expect(lease).toMatchObject({
      limit: 100,
      left: 10,
      leftAtGrant: 10,
      leftAtCounter: 90,
      windowStart: 1_200,
      endsAtMs: sentMs + 59_400,
      resetAtMs: sentMs + 60_000,
      leases: [open(1, 10)],
    })
  })

  it('ends a lease sooner by what the clock may be set back, counted from the question', () => {
    const lease = emptyLease(sentMs)
    applyAnswer(lease, drawOf(10), { id: 1, limit: 100, sentMs, nowMs: sentMs + 500 }, 5_000)
    expect(lease.endsAtMs).toBe(sentMs + 54_400)
  })

  it('adds the hits of another lease of the window', () => {
    const lease = leaseOf(10)
    lease.left = 4
    take(lease, 2, drawOf(5, { after: 30 }))
    expect(lease).toMatchObject({ left: 9, leftAtGrant: 9, leftAtCounter: 70, leases: [open(1, 10), open(2, 5)] })
  })

  it('keeps the rest of the counter, which is never below 0, where nothing is granted', () => {
    const lease = leaseOf(10)
    take(lease, 2, drawOf(0, { after: 130 }))
    expect(lease).toMatchObject({ left: 10, leftAtGrant: 10, leftAtCounter: 0, leases: [open(1, 10)] })
  })

  it('has the highest limit of the leases that are open, and only the new one after them', () => {
    const lease = emptyLease(sentMs)
    take(lease, 1, drawOf(5), 100)
    take(lease, 2, drawOf(5), 40)
    expect(lease.limit).toBe(100)
    lease.left = 0
    take(lease, 3, drawOf(5), 40)
    expect(lease.limit).toBe(40)
  })

  it('forgets the leases of the window before', () => {
    const lease = leaseOf(10)
    lease.closing = [back(9, 3)]
    take(lease, 2, drawOf(4, { windowStart: 1_260 }), 100, sentMs + 60_000)
    expect(lease).toMatchObject({ windowStart: 1_260, left: 4, leases: [open(2, 4)], closing: [] })
    expect(lease.endsAtMs).toBe(sentMs + 60_000 + 59_400)
  })

  it('does not use a lease of the window before that comes late', () => {
    const lease = leaseOf(10)
    take(lease, 2, drawOf(4, { windowStart: 1_140 }))
    expect(lease).toMatchObject({ windowStart: 1_200, left: 10, leases: [open(1, 10)] })
  })

  it('takes an older window once its own is over: the clock of the counter was set back', () => {
    const lease = leaseOf(10)
    take(lease, 2, drawOf(4, { windowStart: 1_140 }), 100, lease.endsAtMs)
    expect(lease).toMatchObject({ windowStart: 1_140, left: 4, leases: [open(2, 4)] })
  })
})

describe('releaseLease()', () => {
  it('closes every lease; what is left belongs to the newest', () => {
    const lease = leaseOf(10, 5)
    lease.left = 7
    releaseLease(lease)
    expect(lease).toMatchObject({ left: 0, leases: [], closing: [back(2, 5), back(1, 2)] })
  })

  it('adds to what is closing already', () => {
    const lease = leaseOf(10)
    lease.closing = [back(7, 1)]
    releaseLease(lease)
    expect(lease.closing).toEqual([back(7, 1), back(1, 10)])
  })
})

describe('closeUsedLeases()', () => {
  it.each([
    [15, [open(1, 10), open(2, 5)], []],
    [6, [open(1, 10), open(2, 5)], []],
    [5, [open(2, 5)], [back(1, 0)]],
    [1, [open(2, 5)], [back(1, 0)]],
    [0, [], [back(1, 0), back(2, 0)]],
  ])('with %i of 10 and 5 hits left keeps %j and closes %j', (left, leases, closing) => {
    const lease = leaseOf(10, 5)
    lease.left = left
    closeUsedLeases(lease)
    expect([lease.leases, lease.closing, lease.left]).toEqual([leases, closing, left])
  })
})

describe('hasRoomForLease()', () => {
  it('is false from eight open leases on', () => {
    expect(hasRoomForLease(leaseOf(1, 1, 1, 1, 1, 1, 1))).toBe(true)
    expect(hasRoomForLease(leaseOf(1, 1, 1, 1, 1, 1, 1, 1))).toBe(false)
  })
})

describe('a lease', () => {
  it('closes every lease once and gives back exactly what is left, in any order of use', () => {
    const granted = fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 8 })
    fc.assert(
      fc.property(granted, fc.array(fc.integer({ min: 0, max: 30 })), (leases, uses) => {
        const lease = leaseOf(...leases)
        for (const hits of uses) {
          lease.left = Math.max(0, lease.left - hits)
          closeUsedLeases(lease)
          expect(openOf(lease)).toBeGreaterThanOrEqual(lease.left)
        }
        const { left } = lease
        releaseLease(lease)
        expect(lease.closing.map(({ id }) => id).toSorted()).toEqual(leases.map((_, at) => at + 1))
        expect(lease.closing.reduce((sum, { unused }) => sum + unused, 0)).toBe(left)
      }),
      { seed: 10 },
    )
  })
})
