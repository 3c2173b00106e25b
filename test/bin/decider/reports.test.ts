/** Reports of a front while its service is away: each statistic arrives once, and what waits has a bound. */

import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Asked } from '#bin/decider/questions.ts'
import { createFrontReports } from '#bin/decider/reports.ts'
import { readDecisionSettings } from '#ratelimit/settings.ts'
import { foldedName } from '#ratelimit/statistics/sum.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

type Batch = Extract<Asked, { kind: 'stats' }>

function setUp() {
  const arrived: Batch[] = []
  let answer: 'taken' | 'lost' | 'away' = 'taken'
  const link = {
    async ask(question: Asked) {
      if (question.kind === 'stats' && answer !== 'away') arrived.push(question)
      if (answer !== 'taken') throw new Error('the connection was lost')
      return 5_000
    },
    isOpen: () => true,
    mayDecide: () => true,
    close: () => {},
  }
  const logger = { debug() {}, info() {}, warning() {}, error() {}, audit() {} }
  return {
    arrived,
    reports: createFrontReports(link, readDecisionSettings({}), logger),
    turn(next: typeof answer) {
      answer = next
    },
  }
}

it('createFrontReports() sends a batch again under its number until it is taken, and the rest after it', async () => {
  const { arrived, reports, turn } = setUp()
  for (const state of ['lost', 'away', 'lost', 'taken'] as const) {
    turn(state)
    reports.stats.record([{ name: 'hits', delta: 1 }])
    await reports.flush()
  }
  expect(arrived.map(({ batch }) => batch)).toEqual([1, 1, 1, 2])
  const [first, last] = [arrived[0], arrived[3]]
  expect(arrived.slice(0, 3)).toEqual([first, first, first])
  expect([first?.deltas, last?.deltas]).toEqual([[{ name: 'hits', delta: 1 }], [{ name: 'hits', delta: 3 }]])
})

it('createFrontReports() keeps ten thousand names for a service that is away, and counts what found no room', async () => {
  const { arrived, reports, turn } = setUp()
  turn('away')
  for (let at = 0; at < 30_000; at++) reports.stats.record([{ name: `name${at}`, delta: 1 }])
  await vi.advanceTimersByTimeAsync(60_000)
  for (let at = 0; at < 30_000; at++) reports.stats.record([{ name: `later${at}`, delta: 1 }])
  turn('taken')
  await reports.flush()
  expect(arrived.map(({ deltas }) => deltas.length)).toEqual([10_001, 10_001])
  const folded = arrived.map(({ deltas }) => deltas.find(({ name }) => name === foldedName)?.delta)
  expect(folded).toEqual([20_000, 20_000])
})

it('createFrontReports() keeps no process that ends', async () => {
  vi.useRealTimers()
  const { reports } = setUp()
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
  const before = timers()
  reports.stats.record([{ name: 'hits', delta: 1 }])
  expect(timers()).toBe(before)
  await reports.flush()
})
