/** Trips that no part of the simulation caused: by the message of a relay, and without an order. */

import { expect, test } from 'vitest'
import { applyCommand } from '#grid/step/apply-command.ts'
import { runSteps, startWorld } from '../../support/grid-session.ts'

test('carryOut() trips a line by the message of its relay, which no operator ordered', () => {
  const world = startWorld()
  runSteps(world, 30)
  applyCommand(world, { kind: 'trip', step: world.step, breaker: 'CB-2-3' })
  const { frames } = runSteps(world, 30)
  expect(world.plant.open).toEqual([3])
  expect(world.view.alarms.map(({ detector, where }) => [detector, where])).toEqual([['breaker', 'CB-2-3']])
  expect(frames.filter(({ label }) => label !== null)).toEqual([])
})

test('carryOut() takes a machine off once, and leaves one that is off as it is', () => {
  const world = startWorld()
  applyCommand(world, { kind: 'trip', step: world.step, bus: 2 })
  applyCommand(world, { kind: 'trip', step: world.step, bus: 2 })
  const { outputs } = runSteps(world, 1)
  expect(world.plant.lostMachines).toMatchObject([{ generator: 1, cause: 'protection' }])
  expect(JSON.stringify(outputs[0]?.events)).toContain('the protection took the machine at bus 2 off')
})

test('carryOut() puts a fault on a line: its relay opens it by message, its recloser closes it', () => {
  const world = startWorld()
  runSteps(world, 30)
  applyCommand(world, { kind: 'trip', step: world.step, breaker: 'CB-2-3', fault_s: 0.5 })
  const { outputs } = runSteps(world, 20)
  const moves = outputs.flatMap(({ events }) => events.filter(({ data }) => JSON.stringify(data).includes('"cause"')))
  expect(moves.map(({ data }) => data)).toMatchObject([
    { breaker: 'CB-2-3', state: 'open', cause: 'GOOSE trip of IED-2' },
    { breaker: 'CB-2-3', state: 'closed', cause: 'recloser' },
  ])
  expect(world.plant.open).toEqual([])
})
