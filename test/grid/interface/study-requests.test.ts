/** The query of a study: defaults, words in any case, bounds, and what each message says. */

import { describe, expect, it } from 'vitest'
import { parseStudy, type StudyRequest } from '#grid/interface/study-requests.ts'

function parse(text: string): StudyRequest {
  const [kind = '', query = ''] = text.split('?')
  const parameters = new URLSearchParams(query)
  return parseStudy(kind as StudyRequest['kind'], (name) => parameters.get(name) ?? undefined)
}

const names = (count: number) => Array.from({ length: count }, (_, index) => `CB-${index}`)

describe('parseStudy()', () => {
  it.each([
    ['contingency', { kind: 'contingency', method: 'ac', limit: 20 }],
    ['contingency?method=DC&limit=500', { kind: 'contingency', method: 'dc', limit: 500 }],
    ['contingency?limit=1', { kind: 'contingency', method: 'ac', limit: 1 }],
    ['cascade?open=CB-2-3', { kind: 'cascade', open: ['CB-2-3'], pickup: 'secure' }],
    ['cascade?open=a, b ,a&pickup=Fragile', { kind: 'cascade', open: ['a', 'b'], pickup: 'fragile' }],
    [`cascade?open=${names(16)}`, { kind: 'cascade', open: names(16), pickup: 'secure' }],
    ['fast-decoupled', { kind: 'fast-decoupled', scheme: 'XB' }],
    ['fast-decoupled?scheme=bx', { kind: 'fast-decoupled', scheme: 'BX' }],
    ['dc-estimation?other=1', { kind: 'dc-estimation' }],
  ])('reads %s', (text, request) => {
    expect(parse(text)).toEqual(request)
  })

  it.each([
    ['contingency?method=exact', 'method is "exact", expected ac or dc'],
    ['contingency?limit=0', 'limit is "0", expected an integer from 1 to 500'],
    ['contingency?limit=501', 'limit is "501", expected an integer from 1 to 500'],
    ['contingency?limit=1e2', 'limit is "1e2", expected an integer from 1 to 500'],
    ['contingency?limit=1.5', 'limit is "1.5", expected an integer from 1 to 500'],
    ['cascade', '"open" is missing'],
    ['cascade?open=CB-2-3,', 'expected 1 to 16 names such as CB-2-3'],
    [`cascade?open=${names(17)}`, 'expected 1 to 16 names such as CB-2-3'],
    ['cascade?open=CB-2-3&pickup=off', 'pickup is "off", expected secure or fragile'],
    ['fast-decoupled?scheme=AB', 'scheme is "AB", expected XB or BX'],
  ])('refuses %s', (text, message) => {
    expect(() => parse(text)).toThrow(
      expect.objectContaining({ code: 'invalid_request', message: expect.stringContaining(message) }),
    )
  })

  it('repeats at most 64 characters of a wrong value', () => {
    expect(() => parse(`contingency?method=${'m'.repeat(500)}`)).toThrow(
      `Cannot run the study: method is "${'m'.repeat(64)}", expected ac or dc`,
    )
  })
})
