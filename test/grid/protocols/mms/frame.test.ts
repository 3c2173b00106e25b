/** MMS over TPKT: an association and its services to the octet, and any frame back from its octets. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeHex, encodeHex } from '#base/hex.ts'
import { decodeMms, encodeMms, type MmsFrame } from '#grid/protocols/mms/frame.ts'
import type { MmsPdu } from '#grid/protocols/mms/pdu.ts'
import type { MmsNode } from '#grid/protocols/mms/presentation.ts'
import { mmsAssociation, mmsDialogue } from '#test/support/mms-dialogue.ts'

const requestOf = (pdu: MmsPdu): MmsFrame => ({ kind: 'data', context: 3, pdu })

/** The PDU within the tree of an association. */
function findPdu(frame: MmsFrame): MmsPdu | undefined {
  const search = (node: MmsNode): readonly MmsPdu[] => {
    if ('pdu' in node) return [node.pdu]
    return 'nodes' in node ? node.nodes.flatMap(search) : []
  }
  return 'presentation' in frame ? search(frame.presentation)[0] : undefined
}

describe('encodeMms()', () => {
  it.each(mmsDialogue)('writes $name to the octet, and decodeMms() reads it', ({ octets, frame }) => {
    expect(encodeHex(encodeMms(frame))).toBe(octets)
    expect(decodeMms(decodeHex(octets))).toEqual({ ok: true, value: frame })
  })

  it.each(['request', 'response'] as const)('keeps the %s of an association as a tree with its initiate', (kind) => {
    const octets = decodeHex(mmsAssociation[kind])
    const read = decodeMms(octets)
    if (!read.ok) throw new Error(read.fault.message)
    expect(encodeHex(encodeMms(read.value))).toBe(mmsAssociation[kind])
    expect(read.value).toMatchObject({
      kind: `associate_${kind}`,
      parameters: expect.arrayContaining([{ code: 0x14, value: decodeHex('0002') }]),
    })
    expect(findPdu(read.value)).toEqual({
      kind: `initiate_${kind}`,
      largestPdu: 65_000,
      outstandingCalling: 5,
      outstandingCalled: 5,
      nesting: 10,
      version: 1,
      parameterSupport: decodeHex('05f100'),
      servicesSupported: decodeHex('03ee1c00000408000079ef18'),
    })
  })

  const name = fc.oneof(
    fc.record({ scope: fc.constantFrom('vmd' as const, 'association' as const), item: fc.string({ maxLength: 32 }) }),
    fc.record({ scope: fc.constant('domain' as const), domain: fc.string(), item: fc.string() }),
  )
  const variables = fc.oneof(fc.record({ names: fc.array(name, { maxLength: 5 }) }), fc.record({ list: name }))
  const data = fc.oneof(
    fc.record({ kind: fc.constant('boolean' as const), value: fc.boolean() }),
    fc.record({ kind: fc.constant('integer' as const), value: fc.integer() }),
    fc.record({ kind: fc.constant('binary_time' as const), bytes: fc.uint8Array({ minLength: 6, maxLength: 6 }) }),
    fc.record({ kind: fc.constant('mms_string' as const), bytes: fc.uint8Array({ maxLength: 20 }) }),
  )
  const failure = fc.record({ kind: fc.constant('failure' as const), code: fc.nat({ max: 11 }) })
  const results = fc.array(fc.oneof(data, failure), { maxLength: 5 })
  const invokeId = fc.nat({ max: 0x7fffffff })
  const pdu: fc.Arbitrary<MmsPdu> = fc.oneof(
    fc.record({ kind: fc.constant('information_report' as const), variables, results }),
    fc.record({
      kind: fc.constant('confirmed_request' as const),
      invokeId,
      request: fc.oneof(
        fc.record({ service: fc.constant('read' as const), variables }),
        fc.record({ service: fc.constant('write' as const), variables, data: fc.array(data, { maxLength: 4 }) }),
        fc.record(
          { service: fc.constant('get_name_list' as const), objectClass: fc.nat({ max: 12 }), domain: fc.string() },
          { requiredKeys: ['service', 'objectClass'] },
        ),
      ),
    }),
    fc.record({
      kind: fc.constant('confirmed_response' as const),
      invokeId,
      response: fc.oneof(
        fc.record({ service: fc.constant('read' as const), results }),
        fc.record({
          service: fc.constant('write' as const),
          results: fc.array(fc.oneof(fc.constant(null), fc.nat({ max: 11 })), { maxLength: 4 }),
        }),
        fc.record({ service: fc.constant('get_name_list' as const), names: fc.array(fc.string(), { maxLength: 30 }) }),
      ),
    }),
  )

  it('is undone by decodeMms() for any PDU', () => {
    fc.assert(
      fc.property(pdu, (one) => {
        expect(decodeMms(encodeMms(requestOf(one)))).toEqual({ ok: true, value: requestOf(one) })
      }),
    )
  })

  it('refuses a name that is not ASCII', () => {
    const request = { service: 'get_name_list', objectClass: 9, domain: 'Ü' } as const
    expect(() => encodeMms(requestOf({ kind: 'confirmed_request', invokeId: 1, request }))).toThrow('more than ASCII')
  })
})

describe('decodeMms()', () => {
  const read = mmsDialogue.find(({ name }) => name === 'a read')?.octets ?? ''

  it.each([
    ['another version', '0300', '0400', 'protocol', 'version'],
    ['another length', '0300', '030001', 'length', 'length'],
    ['another tag of the presentation', '0100010061', '0100010062', 'value', 'fully encoded data'],
  ])('names %s', (_, from, to, code, field) => {
    expect(decodeMms(decodeHex(read.replace(from, to)))).toMatchObject({ ok: false, fault: { code, field } })
  })

  it('keeps a part of a divided TPDU as its octets', () => {
    const part = decodeHex('0300000a02f000010203')
    expect(decodeMms(part)).toEqual({ ok: true, value: { kind: 'other', octets: part.slice(4) } })
    expect(encodeMms({ kind: 'other', octets: part.slice(4) })).toEqual(part)
  })

  it('never throws on octets that were changed or cut', () => {
    const frames = [...mmsDialogue.map(({ octets }) => octets), ...Object.values(mmsAssociation)].map(decodeHex)
    fc.assert(
      fc.property(fc.constantFrom(...frames), fc.nat(), fc.nat({ max: 255 }), fc.nat(), (octets, at, to, end) => {
        const changed = octets.slice()
        changed[at % octets.length] = to
        expect(typeof decodeMms(changed.subarray(0, (end % octets.length) + 1)).ok).toBe('boolean')
      }),
    )
  })
})
