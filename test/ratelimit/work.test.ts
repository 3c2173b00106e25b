/** A budget of work: charged to its last unit, and refused beyond with the name of its setting. */

import { expect, test } from 'vitest'
import { beginWork, charge } from '#ratelimit/work.ts'

test('charge() takes the last unit and refuses the next one', () => {
  const work = beginWork(10)
  charge(work, 4)
  charge(work, 6)
  expect(work.left).toBe(0)
  expect(() => charge(work, 1)).toThrow(
    expect.objectContaining({
      code: 'request_too_large',
      message: expect.stringContaining('expected at most 10 comparisons (REQUEST_MAX_COMPARISONS)'),
    }),
  )
})
