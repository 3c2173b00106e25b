import { describe, expect, it } from 'vitest'
import { entries } from '../../src/gateway/entries.ts'
import { nearestNames } from '../../src/gateway/nearest.ts'

const names = entries.map(({ name }) => name)

describe('nearestNames()', () => {
  it.each([
    ['get_record', 'get_records'],
    ['insert_recrods', 'insert_records'],
    ['GET_INDEX', 'get_index'],
    ['deploy', 'deploy_stream'],
  ])('finds what %s was perhaps meant to be', (asked, meant) => {
    expect(nearestNames(asked, names)).toContain(meant)
  })

  it('finds nothing for what is like nothing, and looks at the beginning of a long name alone', () => {
    expect(nearestNames('zzzz', names)).toEqual([])
    expect(nearestNames('q'.repeat(1_000_000), names)).toEqual([])
  })
})
