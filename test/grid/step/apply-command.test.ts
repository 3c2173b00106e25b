/** Commands on a world: each changes what it names, and nothing else. */

import { describe, expect, it } from 'vitest'
import type { AttackOrder } from '#grid/configuration.ts'
import { stepUs } from '#grid/configuration.ts'
import { worldTimeUs } from '#grid/engine.ts'
import { applyCommand } from '#grid/step/apply-command.ts'
import type { World } from '#grid/step/world.ts'
import { newConnection } from '../../support/grid-context.ts'
import { runSteps, startTime, startWorld } from '../../support/grid-session.ts'

function order(type: string, attack_id: string): AttackOrder {
  const schedule = { start_frame: 0, duration_frames: 0 }
  return { type, attack_id, params: {}, schedule, target_link: null, seed: 1 }
}

const enable = (world: World, type: string, id: string) =>
  applyCommand(world, { kind: 'enable', step: world.step, order: order(type, id) })
const ids = (world: World) => world.attacks.map((state) => state.order.attack_id)

describe('applyCommand()', () => {
  it('counts every command', () => {
    const world = startWorld()
    applyCommand(world, { kind: 'disable', step: 0, attackIds: [] })
    applyCommand(world, { kind: 'load', step: 0, scale: 1.1 })
    expect(world.commandsApplied).toBe(2)
  })

  it('enables attacks in order, with nothing seen and nothing remembered', () => {
    const world = startWorld()
    runSteps(world, 3)
    enable(world, 'NOISE', 'NOISE-1')
    enable(world, 'DROP', 'DROP-2')
    expect(world.attacks[1]).toEqual({
      order: order('DROP', 'DROP-2'),
      sinceUs: startTime * 1e6 + 3 * stepUs,
      seen: {},
      counters: { total_packets: 0, modified_packets: 0, dropped_packets: 0 },
      memory: {},
    })
    expect([ids(world), world.attackNumber, world.lastAttackId]).toEqual([['NOISE-1', 'DROP-2'], 2, 'DROP-2'])
  })

  it('replaces an attack of the same type, with what it remembers', () => {
    const world = startWorld()
    enable(world, 'NOISE', 'NOISE-1')
    enable(world, 'DROP', 'DROP-2')
    Object.assign(world.attacks[0] ?? {}, { memory: { level: 1 } })
    enable(world, 'NOISE', 'NOISE-3')
    expect(ids(world)).toEqual(['DROP-2', 'NOISE-3'])
    expect([world.ended?.order.attack_id, world.ended?.memory]).toEqual(['NOISE-1', {}])
  })

  it('ends the named attacks, the last of them remembered, and their connections only', () => {
    const world = startWorld()
    for (const [type, id] of [
      ['NOISE', 'a'],
      ['DROP', 'b'],
      ['DELAY', 'c'],
    ] as const)
      enable(world, type, id)
    const label = (attack_id: string) => ({ attack_id, attack_type: 'DROP', technique: null })
    world.connections = {
      honest: newConnection(null, 'honest'),
      forged: newConnection(label('b'), 'forged'),
      other: newConnection(label('a'), 'other'),
    }
    applyCommand(world, { kind: 'disable', step: 0, attackIds: ['b', 'c', 'unknown'] })
    expect(ids(world)).toEqual(['a'])
    expect(Object.keys(world.connections)).toEqual(['honest', 'other'])
    expect([world.ended?.order.attack_id, world.lastAttackId]).toEqual(['c', 'c'])
  })

  it('sets the clock at the start without a gap', () => {
    const world = startWorld()
    applyCommand(world, { kind: 'clock', step: 0, timeUs: 5e12, reason: 'start' })
    expect([worldTimeUs(world), world.gaps]).toEqual([5e12, []])
  })

  it('keeps due messages over a gap, and records the gap', () => {
    const world = startWorld()
    runSteps(world, 5)
    const fromUs = worldTimeUs(world)
    const toUs = fromUs + 60e6
    const due = Object.values(world.goose).map(({ nextUs }) => nextUs)
    expect(due.length).toBeGreaterThan(0)
    applyCommand(world, { kind: 'clock', step: world.step, timeUs: toUs, reason: 'gap' })
    expect(world.gaps).toEqual([{ fromUs, toUs, reason: 'gap' }])
    expect([worldTimeUs(world), world.view.liveUs]).toEqual([toUs, toUs])
    expect(Object.values(world.goose).map(({ nextUs }) => nextUs)).toEqual(due.map((nextUs) => nextUs + 60e6))
  })

  it.each([
    ['a step', stepUs],
    ['nothing', 0],
    ['less than nothing', -1e6],
  ])('records no gap of %s', (_, byUs) => {
    const world = startWorld()
    runSteps(world, 5)
    applyCommand(world, { kind: 'clock', step: 5, timeUs: worldTimeUs(world) + byUs, reason: 'resume' })
    expect(world.gaps).toEqual([])
  })

  it('leaves switching to the next step, in the order of the commands', () => {
    const world = startWorld()
    const before = world.plant.open
    applyCommand(world, { kind: 'switch', step: 0, breaker: 'CB-1-2', closed: false })
    applyCommand(world, { kind: 'switch', step: 0, breaker: 'CB-1-2', closed: true })
    expect(world.orders).toEqual([
      { kind: 'switch', step: 0, breaker: 'CB-1-2', closed: false },
      { kind: 'switch', step: 0, breaker: 'CB-1-2', closed: true },
    ])
    expect(world.plant.open).toBe(before)
  })

  it('scales the loads from now on', () => {
    const world = startWorld()
    applyCommand(world, { kind: 'load', step: 0, scale: 1.25 })
    expect(world.plant.loadScale).toBe(1.25)
  })
})
