/** The view of a control centre that has heard nothing: the same for every session, and changed by none. */

import { describe, expect, it } from 'vitest'
import { attacks } from '#grid/attacks/catalogue.ts'
import { emptyView } from '#grid/control-centre/view.ts'
import { createWorld } from '#grid/engine.ts'
import { enable, runSteps, startWorld } from '../../support/grid-session.ts'

/** Forbids every change of a value and of all that it holds. */
function freezeDeep(value: unknown): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return
  Object.freeze(value)
  for (const field of Object.values(value)) freezeDeep(field)
}

describe('emptyView', () => {
  it('is what a new session begins with', () => {
    expect(createWorld(startWorld().configuration).view).toEqual(emptyView)
    expect(emptyView).toMatchObject({ estimate: null, alarms: [], alarmCount: 0, switched: false })
  })

  it('is never changed by a session: another one of the same process would begin with its past', () => {
    freezeDeep(emptyView)
    const world = startWorld()
    for (const { type } of attacks) enable(world, type)
    // A write to the frozen view throws.
    runSteps(world, 60)
    expect(world.view.alarmCount).toBeGreaterThan(0)
    expect(emptyView).toMatchObject({ values: {}, phasors: {}, raised: {}, alarms: [] })
  })

  it('is plain JSON, as everything in a snapshot is, before and after a session ran', () => {
    const { view } = runSteps(startWorld(), 45).world
    expect(JSON.parse(JSON.stringify(view))).toEqual(view)
    expect(JSON.parse(JSON.stringify(emptyView))).toEqual(emptyView)
    expect(view.estimate).not.toBeNull()
  })
})
