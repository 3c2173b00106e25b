/** A session without its stored world: what the new one takes over from the log of commands. */

import { describe, expect, it } from 'vitest'
import { type AttackOrder, type Command, defaultConfiguration } from '#grid/configuration.ts'
import { createWorld, step, type World, worldTimeUs } from '#grid/engine.ts'
import { applyCommand } from '#grid/step/apply-command.ts'
import { resumeWorld } from '#grid/step/resume.ts'
import { orderOf } from '../../support/grid-session.ts'

const configuration = { ...defaultConfiguration, start_time: 1_764_000_000, auto_pause_s: 0 }

function enable(type: string, number: number, at: number, params: AttackOrder['params'] = {}): Command {
  const order = { ...orderOf(createWorld(configuration), type, params), attack_id: `${type}-${number}` }
  return { kind: 'enable', step: at, order }
}

const commands: readonly Command[] = [
  { kind: 'clock', step: 0, timeUs: 1_764_000_000_000_000, reason: 'start' },
  { kind: 'switch', step: 5, breaker: 'CB-1-2', closed: false },
  { kind: 'load', step: 6, scale: 0.9 },
  enable('NOISE', 1, 10, { noise_std: 3 }),
  enable('DELAY', 2, 12),
  enable('DNP3_CONTROL', 3, 14),
  { kind: 'disable', step: 30, attackIds: ['DNP3_CONTROL-3'] },
]

function computeTo(target: number): World {
  const world = createWorld(configuration)
  while (world.step < target) {
    for (const command of commands.slice(world.commandsApplied)) {
      if (command.step > world.step) break
      applyCommand(world, command)
    }
    step(world)
  }
  return world
}

describe('resumeWorld()', () => {
  const stored = computeTo(60)
  const resumed = resumeWorld(configuration, commands, { step: 60, lastFrameNo: 700 })

  it('keeps step, clock, loads and attacks, and numbers frames after the retained ones', () => {
    expect(resumed.step).toBe(60)
    expect(worldTimeUs(resumed)).toBe(worldTimeUs(stored))
    expect(resumed.commandsApplied).toBe(commands.length)
    expect(resumed.plant.loadScale).toBe(0.9)
    expect(resumed.attacks.map(({ order }) => order)).toEqual(stored.attacks.map(({ order }) => order))
    expect(resumed.attackNumber).toBe(3)
    expect(resumed.nextFrameNo).toBe(701)
  })

  it('applies the commands of the step that it resumes at, and none after it', () => {
    const applied = [0, 4, 5, 6, 29, 30].map((at) => {
      const world = resumeWorld(configuration, commands, { step: at, lastFrameNo: 0 })
      return world.commandsApplied
    })
    expect(applied).toEqual([1, 1, 2, 3, 6, 7])
  })

  it('continues: the next steps make records, and the breaker that an operator opened is open again', () => {
    const world = structuredClone(resumed)
    const frames = Array.from({ length: 30 }, () => step(world).frames).flat()
    expect(frames.length).toBeGreaterThan(50)
    expect(frames[0]?.frameNo).toBe(701)
    expect(stored.plant.open).toEqual([1, 3])
    expect(world.plant.open).toEqual([1])
  })

  it('keeps each order to a machine that a later one does not replace', () => {
    const orders: readonly Command[] = [
      { kind: 'generator', step: 1, bus: 2, connected: false, v_pu: 1.01 },
      { kind: 'trip', step: 2, bus: 3 },
      { kind: 'generator', step: 3, bus: 2, v_pu: 1.02 },
      { kind: 'generator', step: 4, bus: 3, p_mw: 20 },
    ]
    const world = resumeWorld(configuration, orders, { step: 9, lastFrameNo: 0 })
    expect(world.orders).toEqual([
      { kind: 'generator', step: 1, bus: 2, connected: false },
      { kind: 'generator', step: 3, bus: 2, v_pu: 1.02 },
      { kind: 'trip', step: 2, bus: 3 },
      { kind: 'generator', step: 4, bus: 3, p_mw: 20 },
    ])
  })

  it('leaves commands after the step to the caller', () => {
    const world = resumeWorld(configuration, commands, { step: 11, lastFrameNo: 0 })
    expect(world.attacks.map(({ order }) => order.attack_id)).toEqual(['NOISE-1'])
    expect(world.commandsApplied).toBe(4)
  })
})
