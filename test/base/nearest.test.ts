/** The names that were perhaps meant. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { nearest, nearestNames, suggest } from '#base/nearest.ts'
import { entries } from '#gateway/entries.ts'

const operations = entries.map(({ name }) => name)

describe('nearest()', () => {
  it.each([
    ['rate_limt', ['shadow_mode', 'rate_limit'], 'rate_limit'],
    ['NEAR_LIMT_RATIO', ['NEAR_LIMIT_RATIO', 'LIMIT_RESET_HEADER'], 'NEAR_LIMIT_RATIO'],
    ['minutes', ['second', 'minute', 'hour'], 'minute'],
    ['grpcPort', ['grpc-port', 'port'], 'grpc-port'],
    ['--prot', ['--host', '--port'], '--port'],
    ['NOSIE', ['DROP', 'NOISE'], 'NOISE'],
    ['of', ['on', 'off'], 'off'],
    ['incidents', ['incident', 'alarm'], 'incident'],
    ['deploy', ['destroy_stream', 'deploystream'], 'deploystream'],
  ])('takes %s for one of %j', (written, known, meant) => {
    expect(nearest(written, known)).toBe(meant)
  })

  it.each([
    ['zzzz', ['port', 'host']],
    ['week', ['second', 'minute', 'hour']],
    ['', ['a', 'on']],
    ['x', []],
  ])('names nothing for %j of %j', (written, known) => {
    expect(nearest(written, known)).toBeUndefined()
  })

  it('finds a name after one insertion, deletion, replacement or swap, in any case and with any separators', () => {
    const word = fc.stringMatching(/^[a-z]{4,12}$/)
    fc.assert(
      fc.property(word, fc.nat(), fc.constantFrom('insert', 'delete', 'replace', 'swap'), (name, seed, edit) => {
        const at = seed % (name.length - 1)
        const [head, tail] = [name.slice(0, at), name.slice(at)]
        const edited = {
          insert: `${head}q${tail}`,
          delete: head + tail.slice(1),
          replace: `${head}q${tail.slice(1)}`,
          swap: head + tail.slice(1, 2) + tail.slice(0, 1) + tail.slice(2),
        }[edit]
        expect(nearest(`${edited.slice(0, 2)}_${edited.slice(2).toUpperCase()}`, ['0123456789', name])).toBe(name)
      }),
      { seed: 1 },
    )
  })
})

describe('suggest()', () => {
  it('ends a message with the nearest name, or else with what is expected', () => {
    expect(suggest('case41', ['case9', 'case14'])).toBe('did you mean "case14"?')
    expect(suggest('grid', ['case9', 'case14'])).toBe('expected one of case9, case14')
    expect(suggest('grid', ['case9'], 'expected a case')).toBe('expected a case')
  })
})

describe('nearestNames()', () => {
  it.each([
    ['get_record', 'get_records'],
    ['insert_recrods', 'insert_records'],
    ['GET_INDEX', 'get_index'],
    ['deploy', 'deploy_stream'],
  ])('finds what %s was perhaps meant to be', (asked, meant) => {
    expect(nearestNames(asked, operations)).toContain(meant)
  })

  it('finds nothing for what is like nothing, and looks at the beginning of a long name only', () => {
    expect(nearestNames('zzzz', operations)).toEqual([])
    expect(nearestNames('q'.repeat(1_000_000), operations)).toEqual([])
  })
})
