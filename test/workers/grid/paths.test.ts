import { describe, expect, it } from 'vitest'
import { trimEndSlashes } from '#workers/grid/paths.ts'

describe('trimEndSlashes()', () => {
  it.each([
    ['', ''],
    ['/', ''],
    ['///', ''],
    ['/api/v1/status', '/api/v1/status'],
    ['/api/v1/status//', '/api/v1/status'],
    ['//api//v1', '//api//v1'],
  ])('makes %j %j', (path, expected) => {
    expect(trimEndSlashes(path)).toBe(expected)
  })

  it('takes a time that grows with the path, not with its square', () => {
    const path = `${'/'.repeat(3_000_000)}x`
    expect(trimEndSlashes(path)).toBe(path)
  })
})
