import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { concatBytes } from '#base/bytes.ts'
import { decodeUtf8 } from '#base/utf8.ts'
import { chunkSize } from '#grid/export/chunk.ts'
import { encodeCsv } from '#grid/export/csv.ts'
import type { Incident } from '#grid/types.ts'
import { attackedIncidents, incidentAt } from '../../support/grid-incidents.ts'
import { sweep } from '../../support/sweep.ts'

function textOf(incidents: readonly Incident[], isExtended = false): string {
  return decodeUtf8(concatBytes(...encodeCsv(incidents, { isExtended })))
}

/** Reads RFC 4180 text back into rows; every row must end in CRLF. */
function parse(text: string): string[][] {
  const rows: string[][] = []
  let row: string[] = []
  const field = /("(?:[^"]|"")*"|[^",\r\n]*)(,|\r\n)/y
  while (field.lastIndex < text.length) {
    const match = field.exec(text)
    if (match === null) throw new Error('not RFC 4180')
    const [, raw = '', end] = match
    row.push(raw.startsWith('"') ? raw.slice(1, -1).replaceAll('""', '"') : raw)
    if (end === '\r\n') {
      rows.push(row)
      row = []
    }
  }
  return rows
}

describe('encodeCsv()', () => {
  it('writes nine columns, clean incidents included', () => {
    expect(textOf([incidentAt(1)])).toBe(
      'id,timestamp_iso,protocol,src_ip,dst_ip,attack_type,status,severity,description\r\n' +
        '00000001,2026-11-20T16:00:01.123456+00:00,C37.118,10.20.3.2,10.20.1.20,NONE,clean,INFO,C37.118 clean packet\r\n',
    )
  })

  it('adds its further columns only when asked', () => {
    const [header, row] = parse(textOf(attackedIncidents.slice(0, 1), true))
    expect(header?.slice(9)).toEqual([
      'timestamp',
      'attack_id',
      'technique',
      'technique_legacy',
      'src_port',
      'dst_port',
      'frame_no',
    ])
    expect(row?.slice(10)).toEqual(['NOISE-1', 'T1692.002', 'T0856', '4713', '4713', '2'])
  })

  it.each(['=1+1', '+1', '-1', '@SUM(A1)', '\tx', '\rx'])('puts an apostrophe before %j', (description) => {
    const [, row] = parse(textOf([incidentAt(1, { description })]))
    expect(row?.at(8)).toBe(`'${description}`)
  })

  it('survives any text: every field reads back, guarded or not', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme', maxLength: 30 }), { maxLength: 5 }), (texts) => {
        const rows = parse(textOf(texts.map((description) => incidentAt(1, { description })))).slice(1)
        expect(rows.map((row) => row.length)).toEqual(texts.map(() => 9))
        const plain = rows.map((row) => row[8]?.replace(/^'(?=[=+\-@\t\r])/, ''))
        // A lone surrogate cannot be UTF-8; graphemes hold none.
        expect(plain).toEqual(texts)
      }),
      { seed: 4, numRuns: sweep(300) },
    )
  })

  it('hands a full ring on in bounded chunks', () => {
    const ring = Array.from({ length: 10_000 }, (_, second) => incidentAt(second))
    const sizes = Array.from(encodeCsv(ring), ({ length }) => length)
    expect(Math.max(...sizes)).toBeLessThan(chunkSize + 1000)
    expect(sizes.length).toBeGreaterThan(20)
  })
})
