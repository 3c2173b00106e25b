/** One direction of a connection: everything once and in order after any loss, and when it is sent again. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  inFlight,
  isKnownLost,
  newTransit,
  postpone,
  reassemble,
  retransmit,
  retransmitsUs,
  sendSegment,
  type Transit,
} from '#grid/link/tcp-transit.ts'

const start = 4_294_967_200

/** Sends segments of 50 octets, named by their place. */
function sent(count: number, spacingUs = 1_000): Transit<number> {
  let transit = newTransit<number>(start)
  for (let index = 0; index < count; index++) {
    const sequence = (start + index * 50) % 2 ** 32
    transit = sendSegment(transit, { sequence, length: 50, sentUs: index * spacingUs, body: index })
  }
  return transit
}

const sequenceOf = (index: number) => (start + index * 50) % 2 ** 32

describe('reassemble()', () => {
  it('delivers every segment once and in order, for any order and number of arrivals', () => {
    const arrivals = fc.array(fc.nat(7), { maxLength: 60 })
    fc.assert(
      fc.property(arrivals, (order) => {
        let transit = sent(8)
        const delivered: number[] = []
        for (const [at, index] of [...order, 0, 1, 2, 3, 4, 5, 6, 7].entries()) {
          const arrival = reassemble(transit, sequenceOf(index), 10_000 + at)
          transit = arrival.transit
          delivered.push(...arrival.delivered.map(({ body }) => body))
          expect(transit.received).toBe(sequenceOf(delivered.length))
        }
        expect(delivered).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
        expect([transit.segments, inFlight(transit)]).toEqual([[], 0])
      }),
      { seed: 71 },
    )
  })

  it('hands on what arrived, where it is not what was sent', () => {
    const { delivered } = reassemble(sent(1), start, 5, 99)
    expect(delivered.map(({ body }) => body)).toEqual([99])
  })
})

describe('isKnownLost()', () => {
  it('is so with the third duplicate acknowledgment, once', () => {
    let transit = sent(6)
    const known = [1, 2, 3, 4].map((index) => {
      transit = reassemble(transit, sequenceOf(index), 10_000).transit
      return isKnownLost(transit)
    })
    expect(known).toEqual([false, false, true, false])
  })
})

describe('retransmitsUs()', () => {
  it('waits 204 ms at first and twice as long after each time, two minutes at most', () => {
    let transit = sent(1)
    const waits: number[] = []
    for (let count = 0; count < 12; count++) {
      const dueUs = retransmitsUs(transit)
      waits.push((dueUs - transit.timerUs) / 1000)
      transit = retransmit(transit, dueUs, 'timeout')
    }
    expect(waits.slice(0, 4)).toEqual([204, 408, 816, 1632])
    expect(waits.at(-1)).toBe(120_000)
  })

  it('learns a longer round trip from what is acknowledged at its first try, and from nothing else', () => {
    let transit = newTransit<number>(0)
    for (let index = 0; index < 30; index++) {
      const sentUs = index * 1_000_000
      transit = sendSegment(transit, { sequence: index, length: 1, sentUs, body: index })
      transit = reassemble(transit, index, sentUs + 700_000).transit
    }
    transit = sendSegment(transit, { sequence: 30, length: 1, sentUs: 60_000_000, body: 30 })
    expect(retransmitsUs(transit) - 60_000_000).toBeGreaterThan(890_000)
    expect(retransmitsUs(transit) - 60_000_000).toBeLessThan(1_000_000)
    const again = retransmit(transit, 61_000_000, 'timeout')
    expect(reassemble(again, 30, 99_000_000).transit.roundTrip).toEqual(transit.roundTrip)
  })

  it('is at once for what was lost together with a segment that has arrived at last', () => {
    const lost = retransmit(sent(3), 204_000, 'timeout')
    const first = reassemble(lost, start, 204_400).transit
    expect(retransmitsUs(first)).toBe(204_900)
    const second = retransmit(first, 204_900, 'timeout')
    expect([second.backoff, retransmitsUs(second)]).toEqual([1, 204_900 + 408_000])
  })

  it('is never, where nothing is in flight', () => {
    expect(retransmitsUs(newTransit(7))).toBe(Number.POSITIVE_INFINITY)
  })
})

describe('postpone()', () => {
  it('shifts every time, so that the next try is as much later', () => {
    const lost = retransmit(sent(3), 204_000, 'timeout')
    const later = postpone(lost, 3_600_000_000)
    expect(retransmitsUs(later) - retransmitsUs(lost)).toBe(3_600_000_000)
    expect(later.segments.map(({ sentUs }) => sentUs)).toEqual([3_600_000_000, 3_600_001_000, 3_600_002_000])
    expect(later.lostUs - lost.lostUs).toBe(3_600_000_000)
  })

  it('leaves a direction without a loss without one', () => {
    expect(postpone(sent(1), 1_000).lostUs).toBe(0)
  })
})
