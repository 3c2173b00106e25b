/** A decider over sockets of the test: the way from its settings to its first rules. */

import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createDecider } from '#bin/decider/decider.ts'
import { fakeSockets } from '../../support/fake-sockets.ts'
import { oneLimit } from '../../support/ratelimit-servers.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const turn = () => vi.advanceTimersByTimeAsync(0)
const answerOf = (text: string) => ({ revision: 1, files: [{ key: 'rules.yaml', text }] })

async function setUp() {
  const { connect, sockets, at } = fakeSockets()
  const decider = createDecider({ connect, warn: () => {} })
  at(0).say(['ready', { LOG_LEVEL: 'fatal' }])
  await turn()
  return { decider, sockets, at, asked: () => at(0).sent.length }
}

it('createDecider() asks again for its first rules after a failure, or files with a mistake, until it has them', async () => {
  const { decider, at, asked } = await setUp()
  at(0).say(['failed', 1, 'the store is away'])
  await vi.advanceTimersByTimeAsync(100)
  expect(at(0).sent).toEqual(['[1,["rules",1,0,0]]', '[2,["rules",2,0,0]]'])
  at(0).say(['ok', 2, answerOf('descriptors: []')])
  await vi.advanceTimersByTimeAsync(200)
  expect([decider.ready(), asked()]).toEqual([null, 3])
  at(0).say(['ok', 3, answerOf(oneLimit('shop', 'day', 5))])
  await vi.advanceTimersByTimeAsync(10_000)
  expect([decider.ready() === null, asked()]).toEqual([false, 3])
  await decider.stop()
})

it('createDecider() asks for its first rules at least every five seconds, and not after stop()', async () => {
  const { decider, at, asked } = await setUp()
  for (let number = 1; number <= 12; number++) {
    expect(asked()).toBe(number)
    at(0).say(['failed', number, 'the store is away'])
    await vi.advanceTimersByTimeAsync(5_000)
  }
  at(0).say(['failed', asked(), 'the store is away'])
  await turn()
  expect(vi.getTimerCount()).toBe(2)
  await decider.stop()
  expect(vi.getTimerCount()).toBe(0)
})

it('createDecider() asks for its first rules on the next connection, where the last one was lost', async () => {
  const { decider, sockets, at } = await setUp()
  at(0).say(['failed', 1, 'the store is away'])
  at(0).lose()
  await vi.advanceTimersByTimeAsync(10)
  expect(sockets).toHaveLength(2)
  at(1).say(['ready', { LOG_LEVEL: 'fatal' }])
  await vi.advanceTimersByTimeAsync(10_000)
  expect(at(1).sent).toEqual(['[1,["rules",2,0,0]]'])
  await decider.stop()
})
