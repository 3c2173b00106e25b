/** Worlds written down and read again. */

import { expect, it } from 'vitest'
import { readWorld } from '#grid/step/world.ts'
import { runSteps, startWorld } from '../../support/grid-session.ts'

it('readWorld() reads what was written, to the value', () => {
  const { world } = runSteps(startWorld({ case: 'case9' }), 25)
  expect(readWorld(JSON.stringify(world))).toEqual(world)
})
