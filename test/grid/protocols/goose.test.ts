/** GOOSE messages: data that nests too deep is refused. Vectors are in golden.test.ts. */

import { describe, expect, it } from 'vitest'
import { decodeGoose, encodeGoose } from '#grid/protocols/goose.ts'
import { gooseMessage } from '../../support/grid-capture.ts'

describe('decodeGoose()', () => {
  it('refuses data that nests too deep instead of following it', () => {
    const message = gooseMessage(1, 0, true)
    const deep = Array.from({ length: 20 }).reduce<(typeof message.pdu.entries)[number]>(
      (inner) => ({ kind: 'structure', entries: [inner] }),
      { kind: 'boolean', value: true },
    )
    const outcome = decodeGoose(encodeGoose({ ...message, pdu: { ...message.pdu, entries: [deep] } }))
    expect(outcome).toMatchObject({ ok: false, fault: { code: 'value', field: 'allData' } })
  })
})
