import { describe, expect, it } from 'vitest'
import { csvOf } from '#console/frame/export.ts'

describe('csvOf()', () => {
  it('quotes the cells that RFC 4180 wants quoted, and ends lines with CRLF', () => {
    expect(
      csvOf([
        ['a', 'b,c', 'say "hi"', 'two\nlines'],
        [1, null, -2.5, ''],
      ]),
    ).toBe('a,"b,c","say ""hi""","two\nlines"\r\n1,,-2.5,\r\n')
  })

  it('marks texts that a spreadsheet would take for a formula', () => {
    expect(csvOf([['=1+1', '+1', '-1', '@a', '\tx']])).toBe("'=1+1,'+1,'-1,'@a,'\tx\r\n")
  })
})
