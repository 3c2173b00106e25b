/** Long answers in pieces. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatJsonStream } from '#grid/records/json-stream.ts'

describe('formatJsonStream()', () => {
  it('writes the very text of JSON.stringify with two spaces, as long as the list has something in it', () => {
    fc.assert(
      fc.property(fc.array(fc.object({ maxDepth: 2 }), { minLength: 1, maxLength: 230 }), (records) => {
        // JSON has no undefined and no functions; what is not written cannot differ.
        const plain = JSON.parse(JSON.stringify(records))
        const head = { count: plain.length, total: { a: [1] } }
        const text = [...formatJsonStream(head, 'incidents', plain)].join('')
        expect(text).toBe(JSON.stringify({ ...head, incidents: plain }, null, 2))
      }),
      { seed: 6, numRuns: 50 },
    )
  })

  it('writes an empty list too', () => {
    expect(JSON.parse([...formatJsonStream({ count: 0 }, 'packets', [])].join(''))).toEqual({ count: 0, packets: [] })
  })
})
