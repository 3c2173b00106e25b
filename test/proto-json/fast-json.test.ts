import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readPlainRequest } from '#proto-json/fast-json.ts'
import { readAnyRequest } from '#proto-json/json.ts'
import { sweep } from '../support/sweep.ts'
import vectors from '../vectors/proto3-json.json' with { type: 'json' }
import { plainRequest, valueOrCode } from './messages.ts'

const readLongWay = (text: string) => valueOrCode(() => readAnyRequest(text))

/** All that the short way reads, the long way reads the same; the short way need not read all. */
const agrees = (text: string) => {
  const short = readPlainRequest(text)
  if (short !== null) expect(short).toEqual(readLongWay(text))
  return short !== null
}

describe('readPlainRequest()', () => {
  it('agrees with the long way on every vector', () => {
    const taken = vectors.cases.filter(({ text }) => agrees(text))
    expect(taken.length).toBeGreaterThan(5)
  })

  it('takes what clients send', () => {
    const text = '{"domain":"shop","descriptors":[{"entries":[{"key":"tenant","value":"t1"}]}],"hitsAddend":2}'
    expect(readPlainRequest(text)).toEqual({
      domain: 'shop',
      descriptors: [{ entries: [{ key: 'tenant', value: 't1' }] }],
      hitsAddend: 2,
    })
  })

  it('agrees with the long way on any indentation', () => {
    const indent = fc.constantFrom(0, 1, 2, '\t', '\n')
    fc.assert(
      fc.property(plainRequest, indent, (request, space) => {
        agrees(JSON.stringify(request, null, space))
      }),
      { seed: 4, numRuns: sweep(1000) },
    )
  })

  it('agrees with the long way on mutated texts', () => {
    const piece = fc.constantFrom(
      '"',
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '0',
      '1',
      '-',
      '.',
      'e',
      '\\',
      ' ',
      '\u0001',
      '\ud800',
      '"domain":"a"',
      'null',
    )
    fc.assert(
      fc.property(plainRequest, fc.nat(), fc.nat(3), piece, (request, at, remove, insert) => {
        const text = JSON.stringify(request)
        const start = at % (text.length + 1)
        agrees(text.slice(0, start) + insert + text.slice(start + remove))
      }),
      { seed: 5, numRuns: sweep(10_000) },
    )
  })
})
