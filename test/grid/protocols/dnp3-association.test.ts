/** A DNP3 association: which counter each message takes, and where it wraps. */

import { describe, expect, it } from 'vitest'
import {
  newDnp3Sequence,
  nextRequest,
  nextUnsolicited,
  respondTo,
  toConfirm,
} from '#grid/protocols/dnp3-association.ts'
import { dnp3Indication } from '#grid/protocols/dnp3-fragment.ts'

const time = { kind: 'time', time: 1 } as const

describe('nextRequest()', () => {
  it('numbers requests 0 to 15 and from 0 again, and moves no other counter', () => {
    let sequence = { ...newDnp3Sequence, transport: 9, unsolicited: 7 }
    const numbers = Array.from({ length: 18 }, () => {
      const next = nextRequest(sequence, 'read')
      sequence = next.sequence
      return next.fragment.control.sequence
    })
    expect(numbers).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1])
    expect(sequence).toEqual({ transport: 9, application: 2, unsolicited: 7 })
  })

  it('is one fragment without a request for confirmation, without indications', () => {
    expect(nextRequest(newDnp3Sequence, 'write', [time]).fragment).toEqual({
      control: { isFirst: true, isFinal: true, confirm: false, unsolicited: false, sequence: 0 },
      functionCode: 'write',
      objects: [time],
    })
  })
})

describe('nextUnsolicited()', () => {
  it('counts reports apart from requests, modulo 16', () => {
    const { fragment, sequence } = nextUnsolicited(
      { transport: 1, application: 4, unsolicited: 15 },
      dnp3Indication.class1Events,
      [time],
    )
    expect(fragment).toEqual({
      control: { isFirst: true, isFinal: true, confirm: true, unsolicited: true, sequence: 15 },
      functionCode: 'unsolicited_response',
      indications: 2,
      objects: [time],
    })
    expect(sequence).toEqual({ transport: 1, application: 4, unsolicited: 0 })
  })
})

describe('respondTo()', () => {
  it('answers with the number of the request', () => {
    const { fragment } = nextRequest({ ...newDnp3Sequence, application: 11 }, 'read')
    expect(respondTo(fragment, dnp3Indication.parameterError, [time])).toEqual({
      control: { isFirst: true, isFinal: true, confirm: false, unsolicited: false, sequence: 11 },
      functionCode: 'response',
      indications: 0x0400,
      objects: [time],
    })
  })
})

describe('toConfirm()', () => {
  it.each([true, false])('confirms with number and kind of the response, unsolicited %s', (unsolicited) => {
    const { fragment } = nextUnsolicited({ ...newDnp3Sequence, unsolicited: 6 }, 0, [])
    const response = { ...fragment, control: { ...fragment.control, unsolicited } }
    expect(toConfirm(response)).toEqual({
      control: { isFirst: true, isFinal: true, confirm: false, unsolicited, sequence: 6 },
      functionCode: 'confirm',
      objects: [],
    })
  })
})
