/** A GOOSE publisher: its curve of repetitions, its counters and their wrap, and how a subscriber judges them. */

import { describe, expect, it } from 'vitest'
import { gooseChanged, gooseDelayMs, gooseRepeated, judgeGoose } from '#grid/protocols/goose-publisher.ts'

describe('gooseDelayMs()', () => {
  it('doubles from 4 ms up to the heartbeat', () => {
    expect(Array.from({ length: 10 }, (_, sequence) => gooseDelayMs(sequence, 1000))).toEqual([
      4, 8, 16, 32, 64, 128, 256, 512, 1000, 1000,
    ])
  })

  it('stays at the heartbeat however long a state lasts', () => {
    expect(gooseDelayMs(4_294_967_295, 2000)).toBe(2000)
  })
})

describe('the counters of a publisher', () => {
  it('count states from the change and repetitions within a state', () => {
    expect(gooseChanged({ stateNumber: 7, sequenceNumber: 200 })).toEqual({ stateNumber: 8, sequenceNumber: 0 })
    expect(gooseRepeated({ stateNumber: 8, sequenceNumber: 0 })).toEqual({ stateNumber: 8, sequenceNumber: 1 })
  })

  it('wrap to 1 after 32 bits', () => {
    const last = { stateNumber: 0xffffffff, sequenceNumber: 0xffffffff }
    expect(gooseChanged(last)).toEqual({ stateNumber: 1, sequenceNumber: 0 })
    expect(gooseRepeated(last)).toEqual({ stateNumber: 0xffffffff, sequenceNumber: 1 })
  })
})

describe('judgeGoose()', () => {
  const last = { stateNumber: 5, sequenceNumber: 9 }
  it.each([
    [undefined, { stateNumber: 1, sequenceNumber: 0 }, 'changed'],
    [last, { stateNumber: 6, sequenceNumber: 0 }, 'changed'],
    [last, { stateNumber: 5, sequenceNumber: 10 }, 'repeated'],
    [last, { stateNumber: 5, sequenceNumber: 12 }, 'lost'],
    [last, { stateNumber: 5, sequenceNumber: 9 }, 'stale'],
    [last, { stateNumber: 4, sequenceNumber: 99 }, 'stale'],
  ] as const)('after %o takes %o as %s', (before, next, verdict) => {
    expect(judgeGoose(before, next)).toBe(verdict)
  })
})
