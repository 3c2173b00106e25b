/** Batches of statistics: numbered, kept until they are taken, and short enough for a message of a front. */

import { expect, it } from 'vitest'
import { messageBounds, writeQuestion } from '#ratelimit/front/messages.ts'
import { createStatBatches } from '#ratelimit/statistics/batches.ts'
import { domainNotFoundName } from '#ratelimit/statistics/names.ts'

it('createStatBatches() gives a batch again under its number until it is taken', () => {
  const batches = createStatBatches()
  batches.add([{ name: 'a', delta: 1 }])
  const first = batches.next()
  batches.add([{ name: 'a', delta: 2 }])
  expect(batches.next()).toBe(first)
  batches.taken(1)
  expect(batches.next()).toEqual({ number: 2, deltas: [{ name: 'a', delta: 2 }] })
})

it('createStatBatches() fits a batch into a message of a front, of any domains', () => {
  const batches = createStatBatches()
  const names = Array.from({ length: 1_000 }, (_, at) => domainNotFoundName(`${at} ${'\u0001'.repeat(950)}`))
  batches.add(names.map((name) => ({ name, delta: 1 })))
  const seen: string[] = []
  for (let batch = batches.next(); batch !== null; batch = batches.next()) {
    const item = writeQuestion({ kind: 'stats', number: 1, sender: '', batch: batch.number, deltas: batch.deltas })
    expect(item.length).toBeLessThan(messageBounds.characters)
    seen.push(...batch.deltas.map(({ name }) => name))
    batches.taken(batch.number)
  }
  expect(seen).toEqual(names)
})
