/** Options of a bulk insertion: their bounds, and the attempts that each failure gets. */

import { describe, expect, it } from 'vitest'
import { bulkDefaults, parseBulkOptions, retryBudget, retryClass } from '#streamnet/bulk/options.ts'
import { StreamNetError, type StreamNetErrorCode } from '#streamnet/errors.ts'

describe('parseBulkOptions()', () => {
  it('fills in the defaults', () => {
    expect(parseBulkOptions({})).toEqual(bulkDefaults)
    expect(parseBulkOptions({ batchSize: 3, failOnChainError: true })).toEqual({
      ...bulkDefaults,
      batchSize: 3,
      failOnChainError: true,
    })
  })

  const numbers = Object.entries(bulkDefaults).flatMap(([name, value]) => (typeof value === 'number' ? [name] : []))
  const mayBeNone = ['progressLogEveryN', 'catchupBackoffSeconds']

  it.each(numbers)('takes a whole number of %s from its bound on', (name) => {
    const least = mayBeNone.includes(name) ? 0 : 1
    expect(parseBulkOptions({ [name]: least })).toMatchObject({ [name]: least })
    for (const value of [least - 1, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => parseBulkOptions({ [name]: value })).toThrow(expect.objectContaining({ code: 'invalid_argument' }))
    }
  })

  it.each(numbers.filter((name) => name !== 'batchSize'))('takes at most a thousand million of %s', (name) => {
    expect(parseBulkOptions({ [name]: 1e9 })).toMatchObject({ [name]: 1e9 })
    expect(() => parseBulkOptions({ [name]: 1e9 + 1 })).toThrow(name)
  })

  it('takes no more records in a transaction than the network does', () => {
    expect(parseBulkOptions({ batchSize: 10 }).batchSize).toBe(10)
    expect(() => parseBulkOptions({ batchSize: 11 })).toThrow('batch_size must be between 1 and 10')
  })
})

describe('retryClass()', () => {
  const errorOf = (code: StreamNetErrorCode, message = 'failed') =>
    new StreamNetError(code, message, undefined as never)

  it.each([
    ['invalid_nonce', 'transient'],
    ['mempool_full', 'transient'],
    ['node_catching_up', 'catchup'],
    ['no_backend', 'infrastructure'],
    ['connection_refused', 'infrastructure'],
    ['connection_lost', 'fatal'],
    ['permission_denied', 'fatal'],
    ['invalid_argument', 'fatal'],
  ] as const)('says of %s that it is %s', (code, expected) => {
    expect(retryClass(errorOf(code))).toBe(expected)
  })

  it('reads the text of errors that are not of the client', () => {
    expect(retryClass(new Error('connect ECONNREFUSED 127.0.0.1:8484'))).toBe('infrastructure')
    expect(retryClass('no available backend')).toBe('infrastructure')
    expect(retryClass(new Error('the node is catching up, wait'))).toBe('catchup')
    expect(retryClass(new Error('it failed'))).toBe('fatal')
    // The code of an error of the client goes before its text.
    expect(retryClass(errorOf('permission_denied', 'connection refused'))).toBe('fatal')
  })
})

describe('retryBudget()', () => {
  const options = {
    ...bulkDefaults,
    maxAttempts: 2,
    catchupBackoffSeconds: 7,
    catchupMaxAttempts: 3,
    infraMaxAttempts: 4,
  }

  it.each([
    ['transient', 2, 2_000],
    ['catchup', 3, 7_000],
    ['infrastructure', 4, 2_000],
    ['fatal', 1, 0],
  ] as const)('gives %s %d attempts, %d ms apart', (retry, maxAttempts, delayMs) => {
    expect(retryBudget(retry, options)).toEqual({ maxAttempts, delayMs })
  })
})
