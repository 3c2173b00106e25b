import { describe, expect, it } from 'vitest'
import type { Command } from '#grid/configuration.ts'
import { defaultConfiguration } from '#grid/configuration.ts'
import { planRuns, type Run, type Source } from '#grid/dataset/plan.ts'

const order = { attack_id: 'A-1', type: 'NOISE', params: {}, schedule: { start_frame: 0, duration_frames: 0 } }
const commands: readonly Command[] = [
  { kind: 'clock', step: 0, timeUs: 5, reason: 'start' },
  { kind: 'load', step: 200, scale: 0.9 },
  { kind: 'enable', step: 300, order: { ...order, target_link: null, seed: 3 } },
  { kind: 'switch', step: 350, breaker: 'CB-2-3', closed: false },
  { kind: 'disable', step: 600, attackIds: ['A-1'] },
]
const source = (name: string, steps = 1_000): Source => ({ name, configuration: defaultConfiguration, commands, steps })

/** The step of the first command of a kind. */
const stepOf = ({ commands: own }: Run, kind: Command['kind']) =>
  own.find((command) => command.kind === kind)?.step ?? -1

describe('planRuns()', () => {
  const runs = planRuns([source('drift'), source('noise')], { runs: 10, seed: 1 })

  it('plans the same runs for the same seed, and others for another', () => {
    expect(planRuns([source('drift'), source('noise')], { runs: 10, seed: 1 })).toEqual(runs)
    expect(planRuns([source('drift')], { runs: 1, seed: 2 })[0]?.configuration.seed).not.toBe(
      runs[0]?.configuration.seed,
    )
  })

  it('holds out a fifth of the runs of each source for validation, and another for test', () => {
    for (const name of ['drift', 'noise']) {
      const own = runs.filter((run) => run.name === name).map(({ split }) => split)
      const count = (split: string) => own.filter((one) => one === split).length
      expect([count('train'), count('validation'), count('test')]).toEqual([6, 2, 2])
    }
    expect(planRuns([source('one')], { runs: 4, seed: 1 }).every(({ split }) => split === 'train')).toBe(true)
  })

  it('gives each run another seed of the grid and of the attack, and another day', () => {
    const seeds = runs.map(({ configuration }) => configuration.seed)
    expect(new Set(seeds).size).toBe(20)
    expect(
      new Set(runs.map(({ commands: own }) => JSON.stringify(own.find(({ kind }) => kind === 'enable')))).size,
    ).toBe(20)
    const days = runs.map(({ configuration }) => new Date((configuration.start_time ?? 0) * 1000).toISOString())
    expect(days.every((day) => /^2026-\d\d-\d\dT00:00:00.000Z$/.test(day))).toBe(true)
    expect(new Set(days).size).toBeGreaterThan(15)
  })

  it('delays every command from the first attack on by one time, up to a tenth of the run, and none before it', () => {
    const delays = runs.map((run) => stepOf(run, 'enable') - 300)
    expect(runs.map((run) => stepOf(run, 'disable') - 600)).toEqual(delays)
    expect(runs.map((run) => stepOf(run, 'switch') - 350)).toEqual(delays)
    expect(runs.every((run) => stepOf(run, 'load') === 200 && stepOf(run, 'clock') === -1)).toBe(true)
    expect(delays.every((delay) => delay >= 0 && delay <= 100)).toBe(true)
    expect(new Set(delays).size).toBeGreaterThan(10)
    for (const { commands: own } of runs) {
      const steps = own.map(({ step }) => step)
      expect(steps.toSorted((one, other) => one - other)).toEqual(steps)
    }
  })

  it('leaves a command before the end of its run', () => {
    for (const run of planRuns([source('short', 605)], { runs: 30, seed: 1 })) {
      expect(stepOf(run, 'disable')).toBeLessThan(605)
    }
  })
})
