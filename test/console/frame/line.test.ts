import { describe, expect, it } from 'vitest'
import { linePath, thin } from '#console/frame/line.ts'

describe('linePath()', () => {
  it('breaks the path at values that are not known', () => {
    expect(linePath([[0, 1], [1, 2], null, [3, 4]])).toBe('M0.0 1.0L1.0 2.0M3.0 4.0')
  })
})

describe('thin()', () => {
  it('keeps every point of a short series, and the lowest and highest of each pixel of a long one', () => {
    expect(thin([1, 2, 3], [5, null, 7], 100)).toEqual([0, 1, 2])
    const x = Array.from({ length: 10_000 }, (_, at) => at)
    const values = x.map((at) => (at === 5_003 ? 99 : Math.sin(at)))
    const kept = thin(x, values, 200)
    expect(kept.length).toBeLessThanOrEqual(400)
    expect(kept).toContain(5_003)
    expect([...kept].sort((one, other) => one - other)).toEqual(kept)
  })
})
