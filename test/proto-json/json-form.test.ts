import { describe, expect, it } from 'vitest'
import { ProtoJsonError } from '#proto-json/errors.ts'
import { readRequest, readResponse } from '#proto-json/json.ts'
import { refusal } from '../support/refusal.ts'

const messageOf = (text: string, read: (text: string) => unknown = readRequest) =>
  refusal(ProtoJsonError, () => read(text))?.message ?? null

const inDescriptor = (members: string) => `{"domain":"shop","descriptors":[{${members}}]}`

describe('readRequest() on a mistake', () => {
  const mistakes: readonly (readonly [text: string, said: string])[] = [
    ['', 'the body is empty, expected {"domain":"...","descriptors":[{"entries":[{"key":"...","value":"..."}]}]}'],
    ['[]', 'it is a list, expected an object'],
    ['"shop"', 'it is "shop", expected an object'],
    ['null', 'it is null, expected an object'],
    ['{"domian":"shop"}', 'there is no member "domian", expected "domain"'],
    ['{"descriptor":[]}', 'there is no member "descriptor", expected "descriptors"'],
    ['{"x":1}', 'there is no member "x", expected one of domain, descriptors, hitsAddend'],
    ['{"domain":7}', 'domain is 7, expected a string'],
    ['{"descriptors":{"entries":[]}}', 'descriptors is an object, expected a list'],
    ['{"descriptors":[null]}', 'descriptors[0] is null, expected an object'],
    [inDescriptor('"entries":{"key":"a"}'), 'descriptors[0].entries is an object, expected a list'],
    [
      inDescriptor('"entry":[]'),
      'descriptors[0] has no member "entry", expected one of entries, limit, hitsAddend, isNegativeHits',
    ],
    [inDescriptor('"entries":["a"]'), 'descriptors[0].entries[0] is "a", expected an object'],
    [inDescriptor('"entries":[{"key":"a","value":5}]'), 'descriptors[0].entries[0].value is 5, expected a string'],
    [
      inDescriptor('"limit":{"requestsPerUnit":1,"unit":"minute"}'),
      'descriptors[0].limit.unit is "minute", expected "MINUTE"',
    ],
    [
      inDescriptor('"limit":{"requestsPerUnit":1,"unit":"FORTNIGHT"}'),
      'descriptors[0].limit.unit is "FORTNIGHT", expected one of UNKNOWN, SECOND, MINUTE, HOUR, DAY, MONTH, YEAR, WEEK',
    ],
    [
      inDescriptor('"limit":{"requests_per_unt":1}'),
      'descriptors[0].limit has no member "requests_per_unt", expected "requestsPerUnit"',
    ],
    [inDescriptor('"isNegativeHits":"yes"'), 'descriptors[0].isNegativeHits is "yes", expected true or false'],
    ['{"hitsAddend":-1}', 'hitsAddend is -1, expected an integer from 0 to 4294967295'],
    ['{"hitsAddend":1.5}', 'hitsAddend is 1.5, expected an integer from 0 to 4294967295'],
    ['{"hitsAddend":4294967296}', 'hitsAddend is 4294967296, expected an integer from 0 to 4294967295'],
    ['{"hitsAddend":[]}', 'hitsAddend is a list, expected an integer from 0 to 4294967295'],
    [
      inDescriptor('"hitsAddend":18446744073709551616'),
      'descriptors[0].hitsAddend is 18446744073709551616, expected an integer from 0 to 18446744073709551615',
    ],
  ]
  for (const [text, said] of mistakes) {
    it(`${text === '' ? 'nothing' : text}: ${said}`, () => expect(messageOf(text)).toBe(`Cannot read JSON: ${said}`))
  }

  it('names the character and its place where the text is not JSON', () => {
    expect(messageOf('domain=shop')).toBe('Cannot parse JSON: unexpected "d" at 0, expected a value')
    expect(messageOf('{"domain":')).toBe('Cannot parse JSON: unexpected end at 10, expected a value')
  })

  it('repeats no more than the beginning of what a caller wrote', () => {
    for (const long of ['x'.repeat(100_000), '\u{1f600}'.repeat(50_000)]) {
      const texts = [`{${JSON.stringify(long)}:1}`, `{"descriptors":${JSON.stringify(long)}}`]
      for (const text of texts) expect(messageOf(text)?.length).toBeLessThan(300)
    }
    expect(messageOf(`{"hitsAddend":${'9'.repeat(100_000)}}`)?.length).toBeLessThan(200)
  })

  it('refuses nesting of any depth without overflowing the stack', () => {
    for (const [open, close] of [
      ['[', ']'],
      ['{"a":', '}'],
      ['{"descriptors":[', ']}'],
    ] as const) {
      const text = open.repeat(200_000)
      expect(messageOf(text)).toMatch(/^Cannot parse JSON: unexpected .* at \d+, expected at most 100 levels$/)
      expect(messageOf(`${text}1${close.repeat(200_000)}`)).toMatch(/expected at most 100 levels$/)
    }
  })
})

describe('readResponse()', () => {
  it('refuses metadata that is nested too deeply in words', () => {
    const nested = `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`
    const text = `{"overallCode":"OK","dynamicMetadata":${nested}}`
    expect(messageOf(text, readResponse)).toMatch(/^Cannot read JSON: .*(recursion depth|nested too deeply)/)
  })
})

describe('readRequest(), numbers with a megabyte of digits', () => {
  const zeros = '0'.repeat(500_000)

  // Before the bound on digits was counted from the end, the first of these took minutes of the one thread.
  it.each([
    ['an integer of zeros that ends with another digit', `1${zeros}1`, null],
    ['a fraction of zeros that ends with another digit', `1.${zeros}1`, null],
    ['a fraction of zeros', `7.${zeros}`, 7],
    ['zeros with an exponent', `0.${zeros}`, 0],
    ['a number that its exponent brings back', `5${zeros}e-500000`, 5],
  ])('reads or refuses %s at once', (_, number, hits) => {
    for (const written of [number, JSON.stringify(number)]) {
      const text = `{"domain":"shop","hitsAddend":${written}}`
      if (hits === null) expect(messageOf(text)).toContain('expected an integer from 0 to 4294967295')
      else expect(Number(readRequest(text).hitsAddend)).toBe(hits)
    }
  })
})
