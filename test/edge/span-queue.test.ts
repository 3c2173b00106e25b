import { describe, expect, it } from 'vitest'
import type { Span } from '#edge/span.ts'
import { createSpanQueue, maxExportedSpans, maxWaitingSpans } from '#edge/span-queue.ts'

const span = (name: string): Span => ({
  traceId: '1'.repeat(32),
  spanId: '2'.repeat(16),
  name,
  kind: 'server',
  startMs: 0,
  endMs: 0,
  attributes: {},
})

describe('createSpanQueue()', () => {
  it('gives the oldest first, as many as one export carries', () => {
    const queue = createSpanQueue()
    for (let index = 0; index < maxExportedSpans + 3; index++) queue.add(span(String(index)))
    const first = queue.take()
    expect([first.length, first[0]?.name]).toEqual([maxExportedSpans, '0'])
    expect(queue.take().map(({ name }) => name)).toEqual(['512', '513', '514'])
    expect(queue.take()).toEqual([])
  })

  it('holds no more than its bound, and counts what it drops', () => {
    const queue = createSpanQueue()
    for (let index = 0; index < maxWaitingSpans + 7; index++) queue.add(span(String(index)))
    queue.lose(2)
    expect([queue.takeLost(), queue.takeLost()]).toEqual([9, 0])
    let held = 0
    for (let taken = queue.take(); taken.length > 0; taken = queue.take()) held += taken.length
    expect(held).toBe(maxWaitingSpans)
  })
})
