/** The error class of the rate limit domain. */

import { expect, test } from 'vitest'
import { RatelimitError } from '#ratelimit/errors.ts'

test('RatelimitError has its code, its message, its hint and what caused it', () => {
  const cause = new TypeError('socket closed')
  const error = new RatelimitError('counter_unavailable', 'Cannot count: the store failed', { cause, hint: 'start it' })
  expect(error).toBeInstanceOf(Error)
  expect({ ...error, message: error.message, cause: error.cause }).toMatchObject({
    code: 'counter_unavailable',
    message: 'Cannot count: the store failed',
    hint: 'start it',
    cause,
  })
})
