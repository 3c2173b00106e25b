/** A holder's share of one counter: leases that come, are used up, are given up and end. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  closeUsedLeases,
  emptyShare,
  hasRoomForLease,
  releaseShare,
  type Share,
  takeDraw,
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
function take(share: Share, id: number, draw: Draw, limit = 100, nowMs = sentMs): void {
  takeDraw(share, draw, { id, limit, sentMs: nowMs, nowMs }, 0)
}

/** A share with leases 1, 2 and so on of so many hits each. */
function shareOf(...granted: readonly number[]): Share {
  const share = emptyShare(sentMs)
  for (const [at, hits] of granted.entries()) take(share, at + 1, drawOf(hits))
  return share
}

const openOf = ({ leases }: Share) => leases.filter((_, at) => at % 2 === 1).reduce((sum, hits) => sum + hits, 0)

describe('takeDraw()', () => {
  it('opens a lease until the end of the window, less 1 % for the clocks', () => {
    const share = shareOf(10)
    expect(share).toMatchObject({
      limit: 100,
      left: 10,
      lot: 10,
      rest: 90,
      windowStart: 1_200,
      endsAtMs: sentMs + 59_400,
      resetAtMs: sentMs + 60_000,
      leases: [1, 10],
    })
  })

  it('ends a lease sooner by what the clock may be set back, counted from the question', () => {
    const share = emptyShare(sentMs)
    takeDraw(share, drawOf(10), { id: 1, limit: 100, sentMs, nowMs: sentMs + 500 }, 5_000)
    expect(share.endsAtMs).toBe(sentMs + 54_400)
  })

  it('adds the hits of another lease of the window', () => {
    const share = shareOf(10)
    share.left = 4
    take(share, 2, drawOf(5, { after: 30 }))
    expect(share).toMatchObject({ left: 9, lot: 9, rest: 70, leases: [1, 10, 2, 5] })
  })

  it('keeps the rest of the counter, which is never below 0, where nothing is granted', () => {
    const share = shareOf(10)
    take(share, 2, drawOf(0, { after: 130 }))
    expect(share).toMatchObject({ left: 10, lot: 10, rest: 0, leases: [1, 10] })
  })

  it('has the highest limit of the leases that are open, and only the new one after them', () => {
    const share = emptyShare(sentMs)
    take(share, 1, drawOf(5), 100)
    take(share, 2, drawOf(5), 40)
    expect(share.limit).toBe(100)
    share.left = 0
    take(share, 3, drawOf(5), 40)
    expect(share.limit).toBe(40)
  })

  it('forgets the leases of the window before', () => {
    const share = shareOf(10)
    share.closing = [9, 3]
    take(share, 2, drawOf(4, { windowStart: 1_260 }), 100, sentMs + 60_000)
    expect(share).toMatchObject({ windowStart: 1_260, left: 4, leases: [2, 4], closing: [] })
    expect(share.endsAtMs).toBe(sentMs + 60_000 + 59_400)
  })

  it('does not use a lease of the window before that comes late', () => {
    const share = shareOf(10)
    take(share, 2, drawOf(4, { windowStart: 1_140 }))
    expect(share).toMatchObject({ windowStart: 1_200, left: 10, leases: [1, 10] })
  })

  it('takes an older window once its own is over: the clock of the counter was set back', () => {
    const share = shareOf(10)
    take(share, 2, drawOf(4, { windowStart: 1_140 }), 100, share.endsAtMs)
    expect(share).toMatchObject({ windowStart: 1_140, left: 4, leases: [2, 4] })
  })
})

describe('releaseShare()', () => {
  it('closes every lease; what is left belongs to the newest', () => {
    const share = shareOf(10, 5)
    share.left = 7
    releaseShare(share)
    expect(share).toMatchObject({ left: 0, leases: [], closing: [2, 5, 1, 2] })
  })

  it('adds to what is closing already', () => {
    const share = shareOf(10)
    share.closing = [7, 1]
    releaseShare(share)
    expect(share.closing).toEqual([7, 1, 1, 10])
  })
})

describe('closeUsedLeases()', () => {
  it.each([
    [15, [1, 10, 2, 5], []],
    [6, [1, 10, 2, 5], []],
    [5, [2, 5], [1, 0]],
    [1, [2, 5], [1, 0]],
    [0, [], [1, 0, 2, 0]],
  ])('with %i of 10 and 5 hits left keeps %j and closes %j', (left, leases, closing) => {
    const share = shareOf(10, 5)
    share.left = left
    closeUsedLeases(share)
    expect([share.leases, share.closing, share.left]).toEqual([leases, closing, left])
  })
})

describe('hasRoomForLease()', () => {
  it('is false from eight open leases on', () => {
    expect(hasRoomForLease(shareOf(1, 1, 1, 1, 1, 1, 1))).toBe(true)
    expect(hasRoomForLease(shareOf(1, 1, 1, 1, 1, 1, 1, 1))).toBe(false)
  })
})

describe('a share', () => {
  it('closes every lease once and gives back exactly what is left, in any order of use', () => {
    const granted = fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 8 })
    fc.assert(
      fc.property(granted, fc.array(fc.integer({ min: 0, max: 30 })), (leases, uses) => {
        const share = shareOf(...leases)
        for (const hits of uses) {
          share.left = Math.max(0, share.left - hits)
          closeUsedLeases(share)
          expect(openOf(share)).toBeGreaterThanOrEqual(share.left)
        }
        const { left } = share
        releaseShare(share)
        const [ids, unused] = [0, 1].map((part) => share.closing.filter((_, at) => at % 2 === part))
        expect(ids?.toSorted()).toEqual(leases.map((_, at) => at + 1))
        expect(unused?.reduce((sum, hits) => sum + hits, 0)).toBe(left)
      }),
      { seed: 10 },
    )
  })
})
