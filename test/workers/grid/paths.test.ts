import { describe, expect, it } from 'vitest'
import { withoutEndSlashes } from '#workers/grid/paths.ts'

describe('withoutEndSlashes()', () => {
  it.each([
    ['', ''],
    ['/', ''],
    ['///', ''],
    ['/api/v1/status', '/api/v1/status'],
    ['/api/v1/status//', '/api/v1/status'],
    ['//api//v1', '//api//v1'],
  ])('makes %j %j', (path, expected) => {
    expect(withoutEndSlashes(path)).toBe(expected)
  })

  it('takes a time that grows with the path, not with its square', () => {
    const path = `${'/'.repeat(3_000_000)}x`
    expect(withoutEndSlashes(path)).toBe(path)
  })
})
