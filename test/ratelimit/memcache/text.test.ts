import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  encodeAdd,
  encodeDelete,
  encodeGet,
  encodeGets,
  encodeIncrement,
  encodeSwap,
  isKey,
  readAnswers,
} from '#ratelimit/memcache/text.ts'

const bytes = (text: string) => new TextEncoder().encode(text)
const text = (encoded: Uint8Array) => new TextDecoder().decode(encoded)

describe('isKey()', () => {
  it('takes 250 bytes and no more', () => {
    expect(isKey('k'.repeat(250))).toBe(true)
    expect(isKey('k'.repeat(251))).toBe(false)
    expect(isKey('é'.repeat(126))).toBe(false)
  })

  it.each(['', 'a b', 'a\n', 'a\tb', 'a\x7f'])('refuses %j', (key) => {
    expect(isKey(key)).toBe(false)
  })
})

describe('encodeAdd()', () => {
  it('writes a short time to live as a span', () => {
    expect(text(encodeAdd('k', { value: 5, ttl: 60, now: 1_700_000_000 }))).toBe('add k 0 60 1\r\n5\r\n')
  })

  it('writes one above thirty days as the moment it ends, because a server would read it so', () => {
    expect(text(encodeAdd('k', { value: 12, flags: 7, ttl: 31_536_000, now: 1_700_000_000 }))).toBe(
      'add k 7 1731536000 2\r\n12\r\n',
    )
  })
})

describe('encodeGet() and encodeIncrement()', () => {
  it('write a command as one line', () => {
    expect(text(encodeGet(['a', 'b']))).toBe('get a b\r\n')
    expect(text(encodeIncrement('a', 3))).toBe('incr a 3\r\n')
  })
})

describe('encodeGets(), encodeSwap() and encodeDelete()', () => {
  it('read a value with its token, write it anew and remove it', () => {
    expect(text(encodeGets('a'))).toBe('gets a\r\n')
    expect(text(encodeSwap('a', { value: 12, ttl: 60, now: 1_700_000_000 }, '99'))).toBe('cas a 0 60 2 99\r\n12\r\n')
    expect(text(encodeSwap('a', { value: 1, flags: 7, ttl: 31_536_000, now: 1_700_000_000 }, '9'))).toBe(
      'cas a 7 1731536000 1 9\r\n1\r\n',
    )
    expect(text(encodeDelete('a'))).toBe('delete a\r\n')
  })

  it('are answered with a token, and with what became of the value', () => {
    expect(readAnswers(bytes('VALUE a 5 2 41\r\n17\r\nEND\r\nEXISTS\r\nDELETED\r\n')).replies).toEqual([
      { kind: 'values', values: new Map([['a', '17']]), tokens: new Map([['a', '41']]), flags: new Map([['a', 5]]) },
      { kind: 'exists' },
      { kind: 'ok' },
    ])
  })
})

describe('readAnswers()', () => {
  const wire =
    'VALUE a 0 2\r\n17\r\nVALUE b 0 1\r\n3\r\nEND\r\n20\r\nNOT_FOUND\r\nSTORED\r\nNOT_STORED\r\nEND\r\nVERSION 1.6.18\r\nERROR\r\n'
  const answers = [
    {
      kind: 'values',
      values: new Map([
        ['a', '17'],
        ['b', '3'],
      ]),
      tokens: new Map(),
      flags: new Map(),
    },
    { kind: 'number', value: '20' },
    { kind: 'not-found' },
    { kind: 'stored' },
    { kind: 'not-stored' },
    { kind: 'values', values: new Map(), tokens: new Map(), flags: new Map() },
    { kind: 'version', version: '1.6.18' },
    { kind: 'error', message: 'ERROR' },
  ]

  it('reads every answer that counting can get', () => {
    expect(readAnswers(bytes(wire))).toEqual({ replies: answers, rest: new Uint8Array(0) })
  })

  it('reads the same answers wherever the stream is cut', () => {
    fc.assert(
      fc.property(fc.nat(wire.length), (cut) => {
        const first = readAnswers(bytes(wire.slice(0, cut)))
        const second = readAnswers(new Uint8Array([...first.rest, ...bytes(wire.slice(cut))]))
        expect([...first.replies, ...second.replies]).toEqual(answers)
      }),
      { seed: 7 },
    )
  })

  it('refuses what is not an answer', () => {
    expect(() => readAnswers(bytes('HTTP/1.1 200 OK\r\n'))).toThrow(/begins with "HTTP/)
    expect(() => readAnswers(bytes('x'.repeat(3000)))).toThrow(/a line without end/)
  })
})
