import { describe, expect, it } from 'vitest'
import { writeCsv } from '#console/frame/export.ts'

describe('writeCsv()', () => {
  it('quotes cells by RFC 4180, and ends lines with CRLF', () => {
    expect(
      writeCsv([
        ['a', 'b,c', 'say "hi"', 'two\nlines'],
        [1, null, -2.5, ''],
      ]),
    ).toBe('a,"b,c","say ""hi""","two\nlines"\r\n1,,-2.5,\r\n')
  })

  it('marks texts that a spreadsheet would take for a formula', () => {
    expect(writeCsv([['=1+1', '+1', '-1', '@a', '\tx']])).toBe("'=1+1,'+1,'-1,'@a,'\tx\r\n")
  })
})
