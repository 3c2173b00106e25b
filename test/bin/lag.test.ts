/** createLag(): the longest wait for an answer of late. */

import { describe, expect, it } from 'vitest'
import { createLag } from '#bin/http-front/lag.ts'

describe('createLag()', () => {
  it('is the longest wait of the last six to twelve seconds', () => {
    const lag = createLag()
    const [quick, slow] = [{ sentAt: 0 }, { sentAt: 10 }]
    lag.sent(quick)
    lag.sent(slow)
    lag.answered(quick, 5)
    lag.answered(slow, 2010)
    expect(lag.at(2010)).toBe(2000)
    expect(lag.at(7999)).toBe(2000)
    expect(lag.at(20_000)).toBe(0)
  })

  it('grows with the oldest request that has no answer', () => {
    const lag = createLag()
    const [first, second] = [{ sentAt: 100 }, { sentAt: 200 }]
    lag.sent(first)
    lag.sent(second)
    expect(lag.at(1100)).toBe(1000)
    lag.forget(first)
    expect(lag.at(1100)).toBe(900)
    lag.answered(second, 1100)
    expect(lag.at(1200)).toBe(900)
  })

  it('is nothing before the first request, and counts no answer twice', () => {
    const lag = createLag()
    const request = { sentAt: 50 }
    expect(lag.at(50)).toBe(0)
    lag.sent(request)
    lag.answered(request, 60)
    lag.answered(request, 9000)
    expect(lag.at(61)).toBe(10)
  })
})
