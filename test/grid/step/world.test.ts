/** Worlds written down and read again, those of earlier builds too. */

import { describe, expect, it } from 'vitest'
import { readWorld } from '#grid/step/world.ts'
import { runSteps, startWorld } from '../../support/grid-session.ts'
import vectors from '../../vectors/grid-world.json' with { type: 'json' }

describe('readWorld()', () => {
  it('reads what was written, to the value', () => {
    const { world } = runSteps(startWorld({ case: 'case9' }), 25)
    expect(readWorld(JSON.stringify(world))).toEqual(world)
  })

  it('opens the snapshot of an earlier build, keeps what it knew, and steps on under its attack', () => {
    const world = readWorld(JSON.stringify(vectors.world))
    expect(world.view.alarms).toEqual(vectors.world.view.alarms)
    expect(world.view.liveUs).toBe(0)
    // That build kept no time of a cause: it counts as found at the last frame.
    expect(new Set(Object.values(world.view.raised))).toEqual(new Set([vectors.world.lastFrameUs]))
    const { incidents } = runSteps(world, 60)
    expect(world.step).toBe(vectors.world.step + 60)
    expect(incidents.filter(({ attack_type }) => attack_type === 'NOISE').length).toBeGreaterThan(30)
  })
})
