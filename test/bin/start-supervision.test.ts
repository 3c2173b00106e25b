/** Decisions about a runtime that has ended. */

import { describe, expect, it } from 'vitest'
import { decideRestart, healthyAfterMs, maxQuickEnds } from '#bin/start/supervision.ts'

describe('decideRestart()', () => {
  it('waits twice as long after every quick end, stops after the fifth, and forgets them after a healthy life', () => {
    const pauses: number[] = []
    let quickEnds = 0
    for (;;) {
      const next = decideRestart(quickEnds, 1_000)
      quickEnds = next.quickEnds
      if (next.afterMs === null) break
      pauses.push(next.afterMs)
    }
    expect([quickEnds, pauses]).toEqual([maxQuickEnds, [100, 200, 400, 800]])
    expect(decideRestart(maxQuickEnds - 1, healthyAfterMs)).toEqual({ afterMs: 100, quickEnds: 1 })
  })
})
