/** Orders to machines: taken inside their bounds at a bus with a machine, and nowhere else. */

import { describe, expect, it } from 'vitest'
import { findCase } from '#grid/network/cases/catalogue.ts'
import {
  takesPowerReference,
  takesVoltageSetpoint,
  writePowerReference,
  writeVoltageSetpoint,
} from '#grid/plant/machine-orders.ts'
import { startWorld } from '../../support/grid-session.ts'

/** In case14 the second machine is at bus 2, with a Pmax of 140 MW; bus 4 has none. */
const base = findCase('case14')

describe('takesVoltageSetpoint()', () => {
  it.each([
    [2, 0.8, true],
    [2, 1.2, true],
    [2, 0.799, false],
    [2, 1.201, false],
    [2, Number.NaN, false],
    [4, 1, false],
    [99, 1, false],
  ])('bus %i, %d pu: %s', (bus, vPu, takes) => {
    expect(takesVoltageSetpoint(base, bus, vPu)).toBe(takes)
  })
})

describe('takesPowerReference()', () => {
  it.each([
    [2, 0, true],
    [2, 140, true],
    [2, -0.1, false],
    [2, 140.1, false],
    [2, Number.NaN, false],
    [4, 1, false],
  ])('bus %i, %d MW: %s', (bus, pMw, takes) => {
    expect(takesPowerReference(base, bus, pMw)).toBe(takes)
  })
})

describe('writeVoltageSetpoint()', () => {
  it('notes the set point by machine, and that the solution is of before', () => {
    const { plant } = startWorld()
    plant.isStale = false
    writeVoltageSetpoint(plant, base, 2, 1.05)
    expect([plant.setpoints, plant.isStale]).toEqual([{ 1: 1.05 }, true])
  })
})

describe('writePowerReference()', () => {
  it('changes the reference of the one machine', () => {
    const { plant } = startWorld()
    const references = () => plant.frequency.islands.flatMap(({ machines }) => machines.map((one) => one.referenceMw))
    const before = references()
    expect(before.length).toBe(5)
    writePowerReference(plant, base, 2, 77)
    expect(references()).toEqual(before.map((reference, index) => (index === 1 ? 77 : reference)))
  })
})
