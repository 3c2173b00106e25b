/** The book of a counter's leases: what comes back, how large the next lease is, and what a restart leaves. */

import { describe, expect, it } from 'vitest'
import { createLeaseBook, leaseSize } from '#ratelimit/lease/lease-book.ts'

const request = { holder: 1, takesAll: false }
const start = 1_700_000_000

/** A book with one lease of 10 hits, number 7, on counter `a`. */
function bookWithLease() {
  const book = createLeaseBook()
  book.divisor('a', start, request, 0)
  book.open('a', start, 7, 10)
  return book
}

describe('leaseSize()', () => {
  it('is what is wanted, at most the rest divided, and nothing of nothing', () => {
    expect(leaseSize(100, 10, 2)).toBe(10)
    expect(leaseSize(100, 80, 2)).toBe(50)
    expect(leaseSize(1, 10, 2)).toBe(0)
    expect(leaseSize(0, 10, 1)).toBe(0)
    expect(leaseSize(-5, 10, 1)).toBe(0)
    expect(leaseSize(100, 10, 0)).toBe(0)
  })
})

describe('createLeaseBook()', () => {
  it('gives back what was not used of a lease, once', () => {
    const book = bookWithLease()
    expect(book.outstanding('a', start)).toBe(10)
    expect(book.settle('a', start, [7, 4])).toEqual({ unused: 4, faults: 0 })
    expect(book.settle('a', start, [7, 4])).toEqual({ unused: 0, faults: 1 })
    expect(book.outstanding('a', start)).toBe(0)
  })

  it('takes nothing back of a return that is wrong, and counts it as a fault', () => {
    expect(bookWithLease().settle('a', start, [7, 11])).toEqual({ unused: 0, faults: 1 })
    expect(bookWithLease().settle('a', start, [7, -3])).toEqual({ unused: 0, faults: 1 })
    expect(bookWithLease().settle('a', start, [7, Number.NaN])).toEqual({ unused: 0, faults: 1 })
    expect(bookWithLease().settle('a', start, [8, 1, 7])).toEqual({ unused: 0, faults: 1 })
    expect(bookWithLease().settle('b', start, [7, 1])).toEqual({ unused: 0, faults: 1 })
  })

  it('holds every lease for void when the window has turned', () => {
    const book = bookWithLease()
    expect(book.outstanding('a', start + 60)).toBe(0)
    expect(book.settle('a', start + 60, [7, 10])).toEqual({ unused: 0, faults: 1 })
  })

  it('divides by twice the holders that asked within ten seconds, and by 1 for a holder that takes all', () => {
    const book = createLeaseBook()
    expect(book.divisor('a', start, { ...request, holder: 1 }, 0)).toBe(2)
    expect(book.divisor('a', start, { ...request, holder: 2 }, 4_000)).toBe(4)
    expect(book.divisor('a', start, { ...request, holder: 1 }, 5_000)).toBe(4)
    expect(book.divisor('a', start, { ...request, holder: 1 }, 15_000)).toBe(2)
    expect(book.divisor('a', start, { ...request, takesAll: true }, 15_000)).toBe(1)
  })

  it('keeps no more counters, leases and holders in mind than its bounds', () => {
    const book = createLeaseBook({ counters: 2, leases: 2, holders: 3 })
    for (let id = 0; id < 2; id++) {
      expect(book.divisor('a', start, request, 0)).toBe(2)
      book.open('a', start, id, 1)
    }
    expect(book.divisor('a', start, request, 0)).toBe(0)
    expect(book.divisor('b', start, request, 0)).toBe(2)
    expect(book.divisor('c', start, request, 0)).toBe(0)
    for (let holder = 0; holder < 9; holder++) book.divisor('b', start, { ...request, holder }, 0)
    expect(book.divisor('b', start, { ...request, holder: 8 }, 0)).toBe(6)
  })

  it('evicts counters without open leases, so that others find room', () => {
    const book = createLeaseBook({ counters: 2, leases: 9, holders: 9 })
    book.divisor('a', start, request, start * 1000)
    book.divisor('b', start, request, start * 1000)
    book.open('b', start, 1, 5)
    const later = start * 1000 + 60_000
    expect(book.divisor('c', start, request, later)).toBe(2)
    expect(book.outstanding('b', start)).toBe(5)
  })

  it('shows the leases that are to outlive a restart, and opens them again in an empty book', () => {
    const book = bookWithLease()
    expect(book.kept('a', start)).toEqual([])
    const keep = { holder: 1, takesAll: true, rest: 100, nowMs: 0 }
    expect(book.grant('a', start, { ...keep, id: 8, wanted: 20 })).toBe(20)
    expect(book.grant('a', start, { ...keep, id: 9, wanted: 30 })).toBe(30)
    book.settle('a', start, [8, 20])
    const kept = book.kept('a', start)
    expect(kept).toEqual([[9, 30]])
    expect(book.kept('a', start)).toBe(kept)
    const next = createLeaseBook()
    next.restore('a', start, kept, 0)
    expect([next.outstanding('a', start), next.kept('a', start)]).toEqual([30, kept])
    next.restore('a', start, [[10, 40]], 0)
    expect(next.settle('a', start, [9, 10, 10, 1])).toEqual({ unused: 10, faults: 1 })
    expect([next.outstanding('a', start), next.kept('a', start)]).toEqual([0, []])
    expect(book.kept('a', start + 60)).toEqual([])
  })
})
