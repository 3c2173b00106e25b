import { describe, expect, test } from 'vitest'
import { numeric } from '#streamnet/codec/value.ts'
import type { ActionArg } from '#streamnet/types.ts'
import { provider, startWithStream, streamId } from '../../support/attestations.ts'
import { keys } from '../../support/devnode.ts'

describe('threshold actions', () => {
  for (const [action, bounds] of [
    ['price_above_threshold', 1],
    ['price_below_threshold', 1],
    ['value_in_range', 2],
    ['value_equals', 2],
  ] as const) {
    test(`${action} cannot be read at any time`, () => {
      const args = [provider, streamId, 1, ...Array.from({ length: bounds }, () => numeric('1')), null]
      expect(() => startWithStream().call(action, args)).toThrow(
        '-300 connection is read-only and cannot mutate state: action "validate_not_before_timestamp" requires a writer connection',
      )
    })
  }

  const refused: readonly (readonly [string, string, readonly ActionArg[]])[] = [
    ['timestamp is required', 'price_above_threshold', [provider, streamId, null, numeric('1'), null]],
    ['threshold is required', 'price_below_threshold', [provider, streamId, 1, null, null]],
    ['max_value is required', 'value_in_range', [provider, streamId, 1, numeric('1'), null, null]],
    [
      'Invalid range: min_value (2.000000000000000000) > max_value (1.000000000000000000)',
      'value_in_range',
      [provider, streamId, 1, numeric('2'), numeric('1'), null],
    ],
    ['target is required', 'value_equals', [provider, streamId, 1, null, null, null]],
    [
      'Tolerance cannot be negative: -1.000000000000000000',
      'value_equals',
      [provider, streamId, 1, numeric('1'), numeric('-1'), null],
    ],
    [
      `No data found for stream ${streamId} at timestamp 1`,
      'price_below_threshold',
      [provider, streamId, 1, numeric('1'), null],
    ],
    [
      `No data found for stream ${streamId} at timestamp 1. Data provider: ${provider}`,
      'price_above_threshold',
      [provider, streamId, 1, numeric('1'), null],
    ],
    [
      `Stream does not exist: data_provider=${provider} stream_id=st`,
      'value_equals',
      [provider, 'st', 1, numeric('1'), null, null],
    ],
  ]
  for (const [text, action, args] of refused) {
    test(`${action} in a transaction: ${text.slice(0, 60)}`, () => {
      expect(startWithStream().execute(keys.owner, action, args).log).toBe(`ERROR: ${text}`)
    })
  }
})
