/** Alarms for the operator: breakers that moved without an order, dead buses, lost load; none for what was ordered. */

import { describe, expect, it } from 'vitest'
import { findTelecontrol, type World } from '#grid/engine.ts'
import { applyCommand } from '#grid/step/apply-command.ts'
import { alarmNames, detectors } from '../../support/attack-session.ts'
import { calmStretch, enable, runSteps, startWorld } from '../../support/grid-session.ts'
import { sweep } from '../../support/sweep.ts'

function operatorSwitches(world: World, breaker: string, closed: boolean): void {
  applyCommand(world, { kind: 'switch', step: world.step, breaker, closed })
}

function alarmed(world: World): string[] {
  return alarmNames(world.view.alarms)
}

describe('superviseBreaker()', () => {
  it.each(['CB-1-2', 'CB-2-3', 'CB-3-4'])('is silent about %s when the operator moves it', (breaker) => {
    const { world } = calmStretch(45)
    operatorSwitches(world, breaker, false)
    runSteps(world, 65)
    operatorSwitches(world, breaker, true)
    runSteps(world, 65)
    expect(alarmed(world)).toEqual([])
  })

  it('is silent about every breaker that the operator opens, also between its report and the scan before', () => {
    const { world } = calmStretch(41)
    for (const breaker of findTelecontrol(world).branchByBreaker.keys()) {
      const moved = structuredClone(world)
      operatorSwitches(moved, breaker, false)
      runSteps(moved, 40)
      expect([breaker, detectors(moved.view.alarms).includes('breaker')]).toEqual([breaker, false])
    }
  })

  /** Case14 with its second machine apart from the rest. */
  function divided(): World {
    const world = startWorld({ load_scale: 0.5, load_speed: 0, pickup: 'off' })
    runSteps(world, 40)
    for (const breaker of ['CB-1-2', 'CB-2-3', 'CB-2-4', 'CB-2-5']) operatorSwitches(world, breaker, false)
    runSteps(world, 60)
    expect(detectors(world.view.alarms)).not.toContain('breaker')
    return world
  }

  it('is silent about a breaker whose closing the check of synchronism refused', () => {
    const world = divided()
    operatorSwitches(world, 'CB-1-2', true)
    const { outputs } = runSteps(world, 60)
    expect(JSON.stringify(outputs.map(({ events }) => events))).toContain('CB-1-2 did not close for operator')
    expect(detectors(world.view.alarms)).not.toContain('breaker')
  })

  it('is silent while the synchronizer waits, and when it has closed', () => {
    const world = divided()
    const order = { kind: 'switch', step: world.step, breaker: 'CB-1-2', closed: true } as const
    applyCommand(world, { ...order, closing: 'synchronized' })
    runSteps(world, 60)
    expect(world.plant.synchronizer).toMatchObject({ branch: 1 })
    for (let tens = 0; tens < 120 && world.plant.synchronizer !== undefined; tens++) runSteps(world, 10)
    runSteps(world, 60)
    expect(world.plant.open).not.toContain(1)
    expect(detectors(world.view.alarms)).not.toContain('breaker')
  })

  it('reports that a breaker which the operator opened was closed without an order', () => {
    const { world } = calmStretch(45)
    operatorSwitches(world, 'CB-3-4', false)
    runSteps(world, 45)
    enable(world, 'MODBUS_CMD_INJECT', { value: 1 })
    runSteps(world, 45)
    expect(world.view.alarms.find(({ detector }) => detector === 'breaker')).toMatchObject({
      where: 'CB-3-4',
      text: 'RTU-3 reports it closed, and the control centre did not order that',
      evidence: { state: 'closed', outstation: 'RTU-3' },
    })
  })

  it('reports a breaker that a relay opened', () => {
    const world = startWorld({ case: 'case30', pickup: 'fragile', load_scale: 1.4 })
    for (let tens = 0; tens < 120 && !detectors(world.view.alarms).includes('breaker'); tens++) runSteps(world, 10)
    expect(detectors(world.view.alarms)).toContain('breaker')
  })
})

describe('superviseVoltage()', () => {
  it('names every bus that is dead, each once', () => {
    const { world } = calmStretch(45)
    enable(world, 'IEC104_BREAKER_CMD')
    runSteps(world, 200)
    expect(world.plant.solution.servedMw).toBe(0)
    const dead = world.view.alarms.filter(({ detector }) => detector === 'dead_bus')
    expect(dead.map(({ where }) => where).sort()).toEqual(
      // Bus 1 is an island with its machine.
      Array.from({ length: 13 }, (_, index) => `bus ${index + 2}`).sort(),
    )
  })
})

describe('superviseLoad()', () => {
  it('reports how much load is lost, once for as long as it is lost', () => {
    const { world } = calmStretch(45)
    enable(world, 'IEC104_BREAKER_CMD')
    runSteps(world, 600)
    const lost = world.view.alarms.filter(({ detector }) => detector === 'lost_load')
    expect(lost).toHaveLength(1)
    expect(Number(lost[0]?.evidence.expected_mw)).toBeGreaterThan(120)
    expect(Math.abs(Number(lost[0]?.evidence.measured_mw))).toBeLessThan(20)
  })

  it('expects for as long what it expected before the loss', () => {
    const { world } = calmStretch(45, { load_speed: 0, load_noise: 0 })
    const { loadPerForecast } = world.view
    enable(world, 'IEC104_BREAKER_CMD')
    runSteps(world, 600)
    expect(detectors(world.view.alarms)).toContain('lost_load')
    expect((world.view.loadPerForecast ?? 0) / (loadPerForecast ?? 0)).toBeCloseTo(1, 1)
  })

  it('is silent when the operator takes load off, and through a day that runs sixty times as fast', () => {
    const world = startWorld({ load_speed: 60, load_noise: 0.005 })
    runSteps(world, sweep(3_000, 600))
    applyCommand(world, { kind: 'load', step: world.step, scale: 0.6 })
    runSteps(world, sweep(3_000, 600))
    expect(detectors(world.view.alarms)).not.toContain('lost_load')
  })
})
