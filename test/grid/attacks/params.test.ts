/** Reading parameters against their tables. */

import { describe, expect, it } from 'vitest'
import { type ParamTable, readParams } from '#grid/attacks/params.ts'

const table: ParamTable = {
  size: { type: 'number', default: 1, min: 0, max: 10 },
  times: { type: 'integer', default: 2, min: 1, max: 3 },
  on: { type: 'boolean', default: false },
  way: { type: 'string', default: 'up', enum: ['up', 'down'] },
  name: { type: 'string', default: 'x', maxLength: 3 },
  lines: { type: 'strings', default: ['a'], maxItems: 2 },
}

describe('readParams()', () => {
  it('fills in every default', () => {
    const params = { size: 1, times: 2, on: false, way: 'up', name: 'x', lines: ['a'] }
    expect(readParams(table, {})).toEqual({ ok: true, params })
  })

  it('lists ten unknown names of a request at most, and the mistakes of known ones beside them', () => {
    const unknown = Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`x${at}`, 0]))
    const read = readParams(table, { ...unknown, size: 11 })
    expect(read.ok ? [] : read.mistakes.map(({ path }) => path)).toEqual([
      ...Array.from({ length: 10 }, (_, at) => `params.x${at}`),
      'params.size',
    ])
  })

  it.each([
    [{ size: Number.NaN }, 'size'],
    [{ size: Number.POSITIVE_INFINITY }, 'size'],
    [{ size: 11 }, 'size'],
    [{ size: '1' }, 'size'],
    [{ times: 1.5 }, 'times'],
    [{ on: 1 }, 'on'],
    [{ way: 'left' }, 'way'],
    [{ name: '' }, 'name'],
    [{ name: 'xxxx' }, 'name'],
    [{ lines: [] }, 'lines'],
    [{ lines: ['a', 'b', 'c'] }, 'lines'],
    [{ lines: [1] }, 'lines'],
    [{ other: 1 }, 'other'],
    [{ size: null }, 'size'],
  ])('refuses %j and names %s', (given, name) => {
    const read = readParams(table, given)
    const message = expect.stringContaining(`"${name}"`)
    expect(read.ok || read.mistakes).toEqual([{ path: `params.${name}`, message }])
  })

  it('lists all mistakes at once', () => {
    const read = readParams(table, { size: 11, times: 9, other: 1, on: 'no' })
    expect(read.ok || read.mistakes).toHaveLength(4)
  })

  it('does not take inherited names for parameters', () => {
    expect(readParams(table, JSON.parse('{"__proto__": 1, "toString": 2}')).ok).toBe(false)
  })
})
