/** Keys that come most and are refused most, in sketches of a fixed size. */

import { describe, expect, it } from 'vitest'
import type { Match } from '#ratelimit/match.ts'
import { usageBounds } from '#ratelimit/usage/bounds.ts'
import { countKey, noKeys, reportKeys } from '#ratelimit/usage/key-counts.ts'

const matchOf = (key: string): Match => ({
  descriptor: { entries: [{ key: 'user', value: key }] },
  limit: null,
  key,
  isReplaced: false,
})

describe('reportKeys()', () => {
  it('counts keys by use and by refusal, with what they mean', () => {
    const keys = noKeys()
    countKey(keys, matchOf('a'), 'shop', 'admitted')
    countKey(keys, matchOf('b'), 'shop', 'refused')
    countKey(keys, matchOf('b'), 'shop', 'refused')
    countKey(keys, matchOf('b'), 'shop', 'shadow')
    const label = (value: string) => ({ domain: 'shop', rule: '', entries: [{ key: 'user', value }] })
    expect(reportKeys(keys)).toEqual({
      used: [
        { key: 'b', count: 3, error: 0, label: label('b') },
        { key: 'a', count: 1, error: 0, label: label('a') },
      ],
      refused: [{ key: 'b', count: 2, error: 0, label: label('b') }],
    })
  })

  it('keeps the keys that come most, however many others come once', () => {
    const keys = noKeys()
    for (let at = 0; at < 20 * usageBounds.keys; at++) {
      countKey(keys, matchOf(`once ${at}`), 'shop', 'admitted')
      if (at % 4 === 0) countKey(keys, matchOf('often'), 'shop', 'refused')
    }
    expect(keys.waiting.size).toBeLessThanOrEqual(4 * usageBounds.keys)
    const { used, refused } = reportKeys(keys)
    expect(used).toHaveLength(usageBounds.keys)
    expect(keys.used.labels.size).toBe(usageBounds.keys)
    expect(used[0]?.key).toBe('often')
    expect(refused).toMatchObject([{ key: 'often', count: 5 * usageBounds.keys }])
  })

  it('truncates long keys and values to the bounds, and distinguishes two with one beginning', () => {
    const keys = noKeys()
    const value = 'x'.repeat(8_000)
    const entries = Array.from({ length: 64 }, (_, at) => ({ key: `k${at}`, value }))
    for (const end of ['a', 'b']) {
      const match = { ...matchOf(`${value}${end}`), descriptor: { entries } }
      countKey(keys, match, 'shop', 'refused')
    }
    const { used, refused } = reportKeys(keys)
    expect(new Set(used.map(({ key }) => key)).size).toBe(2)
    for (const { key, label } of [...used, ...refused]) {
      expect(key).toHaveLength(usageBounds.keyText)
      expect(label.entries).toHaveLength(usageBounds.keyEntries)
      expect(label.entries[0]?.value).toHaveLength(usageBounds.entryText)
    }
  })
})
