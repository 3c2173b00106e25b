import { describe, expect, it } from 'vitest'
import { parseLines } from '#console/streamnet/bulk-lines.ts'

describe('parseLines()', () => {
  it('reads days, moments and Unix seconds with any of the separators', () => {
    const text = '1970-01-02, 3.45\n\n 1970-01-01T00:01:00Z;-1\r\n86401\t2\n86402 7\n'
    expect(parseLines(text)).toEqual([
      { date: '86400', value: '3.45' },
      { date: '60', value: '-1' },
      { date: '86401', value: '2' },
      { date: '86402', value: '7' },
    ])
    expect(parseLines('')).toEqual([])
  })

  it.each([
    ['1970-01-02', 'line 1'],
    ['1, 2\nsoon, 3', 'line 2 is "soon, 3"'],
    ['1, many', 'line 1'],
    ['1, 2, 3', 'line 1'],
    ['1, 2\n2, 0.1234567890123456789', 'line 2: the value has 19 decimal places'],
  ])('says for %j that it has a line that is not a record', (text, mistake) => {
    expect(parseLines(text)).toMatchObject({ mistake: expect.stringContaining(mistake) })
  })

  it('takes zeros behind the 18th place, which say nothing', () => {
    const value = `1.${'5'.padEnd(24, '0')}`
    expect(parseLines(`1, ${value}`)).toEqual([{ date: '1', value }])
  })

  it('refuses more records than a job takes', () => {
    expect(parseLines('1,1\n'.repeat(25_001))).toEqual({ mistake: '25001 records, expected 25000 at most' })
    expect(parseLines('1,1\n'.repeat(25_000))).toHaveLength(25_000)
  })
})
