/** Trips that no part of the simulation caused: by the message of a relay, and without an order. */

import { expect, test } from 'vitest'
import type { Command } from '#grid/configuration.ts'
import { applyCommand } from '#grid/step/apply-command.ts'
import { resumeWorld } from '#grid/step/resume.ts'
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

test('carryOut() connects a machine with its power reference, and takes one for no machine that is off', () => {
  const world = startWorld()
  const order = (members: object) => {
    applyCommand(world, { kind: 'generator', step: world.step, bus: 2, ...members })
    const text = JSON.stringify(runSteps(world, 10).outputs.map(({ events }) => events))
    return /"text":"(an order was not carried out: [^"]*|the operator [^"]*)"/.exec(text)?.[1]
  }
  const refused = 'an order was not carried out: it takes a power reference only while it runs'
  expect(order({ connected: false, p_mw: 35 })).toBe(refused)
  expect(order({ connected: false })).toBe('the operator disconnected the machine at bus 2')
  expect(order({ p_mw: 35 })).toBe(refused)
  expect(order({ connected: true, p_mw: 35 })).toBe('the operator connected the machine at bus 2')
  const machine = () => world.plant.frequency.islands[0]?.machines.find(({ generator }) => generator === 1)
  expect(machine()?.referenceMw).toBeGreaterThan(30)
  runSteps(world, 40)
  expect(machine()?.mechanicalMw).toBeGreaterThan(30)
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

test('carryOut() moves a tap once; the scan in which it moved is not estimated, and the same log gives it again', () => {
  const world = startWorld()
  runSteps(world, 30)
  const order = { kind: 'tap', step: world.step, breaker: 'CB-4-9', position: -3 } as const
  applyCommand(world, order)
  applyCommand(world, order)
  const { outputs } = runSteps(world, 1)
  const moved = outputs.flatMap(({ events }) =>
    events.filter(({ data }) => JSON.stringify(data).includes('moved the tap')),
  )
  expect([moved.length, world.plant.taps, world.view.switched]).toEqual([1, { 9: -3 }, true])
  runSteps(world, 100)
  expect(world.view.alarms).toEqual([])
  const again = resumeWorld(world.configuration, [order, { ...order, position: -2 }], { step: 40, lastFrameNo: 0 })
  runSteps(again, 1)
  expect(again.plant.taps).toEqual({ 9: -2 })
})

test('carryOut() announces that the synchronizer leaves the breaker of one order for that of the next', () => {
  const world = startWorld()
  const order = (breaker: string, change: object) =>
    applyCommand(world, { kind: 'switch', step: world.step, breaker, ...change } as Command)
  for (const breaker of ['CB-1-2', 'CB-2-3', 'CB-2-4', 'CB-2-5']) order(breaker, { closed: false })
  runSteps(world, 20)
  const texts = ['CB-1-2', 'CB-2-3', 'CB-2-3'].map((breaker) => {
    order(breaker, { closed: true, closing: 'synchronized' })
    const text = JSON.stringify(runSteps(world, 1).outputs[0]?.events)
    return /the synchronizer left [^"]*/.exec(text)?.[0]
  })
  expect(texts).toEqual([undefined, 'the synchronizer left CB-1-2 for CB-2-3', undefined])
  expect(world.plant.synchronizer).toMatchObject({ branch: 3 })
})
