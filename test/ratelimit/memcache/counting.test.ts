import { describe, expect, it, test } from 'vitest'
import {
  decodeMark,
  encodeMark,
  isOverBesideBlock,
  judgeHits,
  keyHits,
  planIncrease,
} from '#ratelimit/memcache/counting.ts'

const now = 1234
const read = (values: readonly [string, string][] = []) => ({
  values: new Map(values),
  flags: new Map<string, number>(),
  unread: new Map<string, string>(),
})
const hit = { key: 'd_k_v_', unit: 'MINUTE', addend: 2 } as const

describe('keyHits()', () => {
  it('stamps the window into the key', () => {
    expect(keyHits([hit], now)).toEqual([{ key: 'd_k_v_1200', hit }])
  })

  it('leaves a key that no server takes without one', () => {
    expect(
      keyHits(
        [
          { ...hit, key: 'x'.repeat(260) },
          { ...hit, key: 'a b' },
        ],
        now,
      ).map(({ key }) => key),
    ).toEqual([null, null])
  })
})

describe('judgeHits()', () => {
  it('judges the same key twice on the value before the request', () => {
    const keyed = keyHits([hit, hit], now)
    expect(judgeHits(keyed, read([['d_k_v_1200', '5']]), now).map(({ after }) => after)).toEqual([7, 7])
  })

  it('fails open for a key without a value and for a value that is not a number', () => {
    const keyed = keyHits([hit], now)
    expect(judgeHits(keyed, read(), now)[0]?.after).toBe(2)
    expect(judgeHits(keyed, read([['d_k_v_1200', 'x']]), now)[0]?.after).toBe(2)
  })

  it('is above every limit for a counter with the mark of a block, and for no other', () => {
    const keyed = keyHits([hit], now)
    const high = read([['d_k_v_1200', '3000000000']])
    expect(judgeHits(keyed, high, now)[0]?.after).toBe(3_000_000_002)
    const marked = { ...high, flags: new Map([['d_k_v_1200', encodeMark(0)]]) }
    expect(judgeHits(keyed, marked, now)[0]?.after).toBe(Number.MAX_SAFE_INTEGER)
    const foreign = { ...high, flags: new Map([['d_k_v_1200', 32]]) }
    expect(judgeHits(keyed, foreign, now)[0]?.after).toBe(3_000_000_002)
  })

  it('knows whether a blocked counter is over its limit as well', () => {
    const [keyed] = keyHits([{ ...hit, limit: 10 }], now)
    const blocked = (value: number) => ({
      ...read([['d_k_v_1200', String(value)]]),
      flags: new Map([['d_k_v_1200', encodeMark(1_000)]]),
    })
    expect([1_008, 1_009].map((value) => isOverBesideBlock(keyed, blocked(value)))).toEqual([false, true])
    expect(isOverBesideBlock(keyHits([hit], now)[0], blocked(5_000))).toBe(false)
  })

  it('reports why a counter was not read, and counts it as unused', () => {
    const keyed = keyHits([hit, { ...hit, key: 'x'.repeat(260) }], now)
    const gone = { ...read(), unread: new Map([['d_k_v_1200', 'connection refused']]) }
    expect(judgeHits(keyed, gone, now)).toMatchObject([
      { after: 2, unread: 'connection refused' },
      { after: 2, unread: 'memcached takes no key of more than 250 bytes or with white space' },
    ])
  })

  // Named in docs/choices.md: the reference reads none of these counters then, and admits every hit.
  it('reads the other counters of a request beside a key of any content, and counts beyond 2^31', () => {
    const odd = ['x'.repeat(260), 'd_k_a b_', 'd_k_\u00a0_']
    const keyed = keyHits([...odd.map((key) => ({ ...hit, key })), hit], now)
    expect(keyed.map(({ key }) => key)).toEqual([null, null, 'd_k_\u00a0_1200', 'd_k_v_1200'])
    const found = read([
      ['d_k_\u00a0_1200', '7'],
      ['d_k_v_1200', '2147483648'],
    ])
    expect(judgeHits(keyed, found, now).map(({ after }) => after)).toEqual([2, 2, 9, 2_147_483_650])
  })

  it('gives back no further than 0', () => {
    const keyed = keyHits([{ ...hit, isRefund: true }], now)
    expect(judgeHits(keyed, read([['d_k_v_1200', '1']]), now)[0]?.after).toBe(0)
  })
})

describe('planIncrease()', () => {
  const text = (bytes: Uint8Array | null) => (bytes === null ? null : new TextDecoder().decode(bytes))

  it('increments, or adds with the time to live of the unit', () => {
    const { change, create } = planIncrease('d_k_v_1200', hit, now, 7)
    expect(text(change)).toBe('incr d_k_v_1200 2\r\n')
    expect(text(create)).toBe('add d_k_v_1200 0 67 1\r\n2\r\n')
  })

  it('never creates a counter for a refund', () => {
    const { change, create } = planIncrease('d_k_v_1200', { ...hit, isRefund: true }, now, 0)
    expect(text(change)).toBe('decr d_k_v_1200 2\r\n')
    expect(create).toBeNull()
  })
})

test('decodeMark() reads what encodeMark() wrote, in 32 bits', () => {
  for (const raisedBy of [0, 1, 4_000_000, 2 ** 31 - 1]) {
    expect(encodeMark(raisedBy)).toBeLessThan(2 ** 32)
    expect(decodeMark(encodeMark(raisedBy))).toBe(raisedBy)
  }
})

test('decodeMark() takes the flags of other clients for no mark', () => {
  for (const flags of [undefined, 0, 1, 2 ** 31 - 1]) expect(decodeMark(flags)).toBeNull()
})
