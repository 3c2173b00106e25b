/** The steps of idle counters: kept for the object's next instance, bounded in number. */

import { expect, it } from 'vitest'
import { idleSteps, maxIdleSteps } from '#objects/ratelimit/counter/idle-steps.ts'
import type { Ceiling } from '#ratelimit/durability/ceiling.ts'

const idle = (step: number): Ceiling => ({ start: 60, hits: 9, from: 9, step, raisedAtMs: 5 })

it('idleSteps() finds the step of an earlier instance of the same object, and covers no window with it', () => {
  idleSteps('one').keep('a', idle(40))
  expect(idleSteps('one').find('a')).toEqual({ start: -1, hits: 0, from: 0, step: 40, raisedAtMs: 5 })
  expect(idleSteps('one').find('b')).toBeUndefined()
  expect(idleSteps('other').find('a')).toBeUndefined()
})

it('idleSteps() forgets a counter whose step is 0', () => {
  const steps = idleSteps('one')
  steps.keep('a', idle(40))
  steps.keep('a', idle(0))
  expect(steps.find('a')).toBeUndefined()
})

it(`idleSteps() keeps ${maxIdleSteps} counters and forgets the one that fell idle first`, () => {
  const steps = idleSteps('one')
  steps.keep('first', idle(1))
  steps.keep('second', idle(1))
  steps.keep('first', idle(1))
  for (let at = 2; at < maxIdleSteps; at++) steps.keep(`${at}`, idle(1))
  expect(steps.find('second')).toBeDefined()
  steps.keep('last', idle(1))
  expect(steps.find('second')).toBeUndefined()
  expect(steps.find('first')).toBeDefined()
})
