/** The way of a quota stream to one quota object, over sockets of the test. */

import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createQuotaLink } from '#bin/grpc-front/quota-link.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

it('createQuotaLink() leaves no timer behind when no socket can be made', () => {
  const connect = () => {
    throw new SyntaxError('no address')
  }
  const options = { openWithinMs: 100, mostReopenings: 0, take: () => {}, end: () => {} }
  expect(() => createQuotaLink({ ...options, connect })).toThrow('no address')
  expect(vi.getTimerCount()).toBe(0)
})
