import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { changedRecords, formatEventId, parseEventId, parseFirstDate } from '#gateway/changes.ts'

const records = fc
  .uniqueArray(fc.tuple(fc.nat(20), fc.constantFrom('1', '2', '3')), { selector: ([date]) => date })
  .map((rows) => rows.map(([date, value]) => ({ date, value })).sort((a, b) => a.date - b.date))

describe('changedRecords()', () => {
  it('returns those that give the later records when put over the earlier ones', () => {
    fc.assert(
      fc.property(records, records, fc.nat(20), (before, added, from) => {
        const after = [...new Map([...before, ...added].map((row) => [row.date, row])).values()]
        const changed = changedRecords(before, after, from)
        const known = new Map([...before, ...changed].map(({ date, value }) => [date, value]))
        for (const { date, value } of after) if (date >= from) expect(known.get(date)).toBe(value)
        expect(changed.every(({ date }) => date >= from)).toBe(true)
        expect(changedRecords(after, after, 0)).toEqual([])
      }),
      { seed: 6 },
    )
  })
})

describe('parseEventId()', () => {
  it('reads what formatEventId() writes, and nothing else', () => {
    for (const id of [{ height: 0 }, { height: 123 }, { height: 7, from: 100 }, { height: 7, from: -5 }]) {
      expect(parseEventId(formatEventId(id))).toEqual(id)
    }
    for (const id of [null, '', '-1', '1.5', 'x', '1'.repeat(16), '1-', '1-x', '1-2-3', '1---2', ' 1'])
      expect(parseEventId(id)).toBeUndefined()
  })
})

describe('parseFirstDate()', () => {
  it('reads a whole number and nothing else', () => {
    expect([parseFirstDate('0'), parseFirstDate('123')]).toEqual([0, 123])
    for (const text of [null, '', '-1', '1.5', 'x', '1-2', '1'.repeat(16)]) expect(parseFirstDate(text)).toBeUndefined()
  })
})
