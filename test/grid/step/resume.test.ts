import { describe, expect, it } from 'vitest'
import { type AttackOrder, type Command, defaultConfiguration } from '#grid/configuration.ts'
import { createWorld, step, type World, worldTimeUs } from '#grid/engine.ts'
import { applyCommand } from '#grid/step/apply-command.ts'
import { completeCommand, resumeWorld } from '#grid/step/resume.ts'

const configuration = { ...defaultConfiguration, start_time: 1_764_000_000, auto_pause_s: 0 }

function enable(type: string, number: number, at: number, params: AttackOrder['params'] = {}): Command {
  const order = {
    attack_id: `${type}-${number}`,
    type,
    params,
    schedule: { start_frame: 0, duration_frames: 0 },
    target_link: null,
    seed: 1,
  }
  return completeCommand({ kind: 'enable', step: at, order })
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
  const resumed = resumeWorld(configuration, commands, { step: 60, value: stored, lastFrameNo: 7 })

  it('keeps step, clock, loads, attacks and their counters, and numbers of frames', () => {
    expect(resumed.step).toBe(60)
    expect(worldTimeUs(resumed)).toBe(worldTimeUs(stored))
    expect(resumed.commandsApplied).toBe(commands.length)
    expect(resumed.plant.loadScale).toBe(0.9)
    expect(resumed.attacks.map(({ order, seen, counters }) => [order.attack_id, seen, counters])).toEqual(
      stored.attacks.map(({ order, seen, counters }) => [order.attack_id, seen, counters]),
    )
    expect(resumed.attackNumber).toBe(3)
    expect(resumed.totals).toEqual(stored.totals)
    expect(resumed.nextFrameNo).toBe(stored.nextFrameNo)
  })

  it('applies the commands of the step that it resumes at, and none after it', () => {
    const applied = [0, 4, 5, 6, 29, 30].map((at) => {
      const world = resumeWorld(configuration, commands, { step: at, value: undefined, lastFrameNo: 0 })
      return world.commandsApplied
    })
    expect(applied).toEqual([1, 1, 2, 3, 6, 7])
  })

  it('goes on: the next steps make records, and the breaker opens again', () => {
    const world = structuredClone(resumed)
    const frames = Array.from({ length: 30 }, () => step(world).frames).flat()
    expect(frames.length).toBeGreaterThan(50)
    expect(frames[0]?.frameNo).toBe(stored.nextFrameNo)
    expect(world.plant.open).toEqual(stored.plant.open)
  })

  it.each([undefined, null, 17, 'text', [], {}, { attacks: 'none', totals: { total_packets: 'x' } }])(
    'takes nothing over from %j, and numbers frames after the retained ones',
    (value) => {
      const world = resumeWorld(configuration, commands, { step: 60, value, lastFrameNo: 700 })
      expect(world.nextFrameNo).toBe(701)
      expect(world.attacks).toHaveLength(2)
      expect(step(world).frames.length).toBeGreaterThan(0)
    },
  )

  it('leaves commands after the step to the caller', () => {
    const world = resumeWorld(configuration, commands, { step: 11, value: undefined, lastFrameNo: 0 })
    expect(world.attacks.map(({ order }) => order.attack_id)).toEqual(['NOISE-1'])
    expect(world.commandsApplied).toBe(4)
  })
})

describe('completeCommand()', () => {
  it('gives an order the parameters that it lacks, and keeps those that it has', () => {
    const command = enable('NOISE', 1, 0, { noise_std: 3 })
    expect(command).toMatchObject({
      order: { params: { noise_std: 3, add_freq_noise: false, freq_std: 0.05 } },
    })
  })
})
