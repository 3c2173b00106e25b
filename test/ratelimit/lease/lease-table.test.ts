/** Leases by counter: a bounded number, and which one makes room. */

import { describe, expect, it } from 'vitest'
import { createLeaseTable, type LeaseTable } from '#ratelimit/lease/lease-table.ts'
import { units } from '#ratelimit/window.ts'

const nameOf = (key: string) => ({ key, unit: 'HOUR' }) as const

/** A table of at most four leases, made in the order of the alphabet, with so many hits left. */
function tableOf(leases: Readonly<Record<string, number>>): LeaseTable {
  const table = createLeaseTable(4)
  for (const [key, left] of Object.entries(leases)) {
    Object.assign(table.findOrAdd(nameOf(key), 5) ?? {}, { left })
  }
  return table
}

function keysOf(table: LeaseTable): readonly string[] {
  const keys: string[] = []
  table.each((_, key) => keys.push(key))
  return keys
}

describe('createLeaseTable()', () => {
  it('finds the lease that it made, for each key and unit another one', () => {
    const table = createLeaseTable(100)
    const lease = table.findOrAdd(nameOf('a'), 5)
    expect(lease).toMatchObject({ left: 0, demand: { seenMs: 5 } })
    expect(table.find(nameOf('a'))).toBe(lease)
    expect(table.findOrAdd(nameOf('a'), 9)).toBe(lease)
    expect(table.find(nameOf('b'))).toBeUndefined()
    const made = new Set(units.map((unit) => table.findOrAdd({ key: 'a', unit }, 5)))
    expect(made.size).toBe(units.length)
  })

  it('makes no lease for a key of more than 1,024 characters', () => {
    const table = createLeaseTable(4)
    expect(table.findOrAdd(nameOf('k'.repeat(1_024)), 5)).toBeDefined()
    expect(table.findOrAdd(nameOf('k'.repeat(1_025)), 5)).toBeUndefined()
  })

  it.each([
    ['the first without hits', { a: 1, b: 0, c: 0, d: 1 }, ['a', 'c', 'd', 'new']],
    ['the first where all have hits', { a: 1, b: 1, c: 1, d: 1 }, ['b', 'c', 'd', 'new']],
  ])('evicts %s', (_which, leases, keys) => {
    const table = tableOf(leases)
    table.findOrAdd(nameOf('new'), 5)
    expect(keysOf(table)).toEqual(keys)
  })

  it('evicts a lease of another unit where its own unit has none', () => {
    const table = tableOf({ a: 1, b: 1, c: 1, d: 1 })
    table.findOrAdd({ key: 'new', unit: 'DAY' }, 5)
    expect(keysOf(table)).toEqual(['b', 'c', 'd', 'new'])
  })

  it('looks at eight leases for one without hits', () => {
    const table = createLeaseTable(9)
    for (let at = 1; at <= 9; at++) {
      Object.assign(table.findOrAdd(nameOf(`${at}`), 5) ?? {}, { left: at === 9 ? 0 : 1 })
    }
    table.findOrAdd(nameOf('new'), 5)
    expect(keysOf(table)).toEqual(['2', '3', '4', '5', '6', '7', '8', '9', 'new'])
  })
})

describe('LeaseTable.refresh()', () => {
  it('puts a lease last, and makes none', () => {
    const table = tableOf({ a: 1, b: 1 })
    table.refresh(nameOf('a'))
    table.refresh(nameOf('c'))
    expect(keysOf(table)).toEqual(['b', 'a'])
  })
})
