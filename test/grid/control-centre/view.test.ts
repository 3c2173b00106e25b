/** The view with which a session begins. */

import { describe, expect, it } from 'vitest'
import { attacks } from '#grid/attacks/catalogue.ts'
import { createView } from '#grid/control-centre/view.ts'
import { createWorld } from '#grid/engine.ts'
import { enable, runSteps, startWorld } from '../../support/grid-session.ts'

describe('createView()', () => {
  it('is what a new session begins with', () => {
    expect(createWorld(startWorld().configuration).view).toEqual(createView())
    expect(createView()).toMatchObject({ estimate: null, alarms: [], alarmCount: 0, switched: false })
  })

  it('shares nothing with the views of other sessions', () => {
    const world = startWorld({ iec61850: 2 })
    for (const { type } of attacks) enable(world, type)
    runSteps(world, 60)
    expect(world.view.alarmCount).toBeGreaterThan(0)
    expect(createView()).toMatchObject({ values: {}, phasors: {}, raised: {}, alarms: [] })
  })

  it('is plain JSON, as everything in a snapshot is, before and after a session ran', () => {
    const { view } = runSteps(startWorld(), 45).world
    expect(JSON.parse(JSON.stringify(view))).toEqual(view)
    expect(JSON.parse(JSON.stringify(createView()))).toEqual(createView())
    expect(view.estimate).not.toBeNull()
  })
})
