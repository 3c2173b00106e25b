/** The runs of a data set: each source several times, with other seeds, another day and attacks at another time. */

import { createRandom, type Random } from '../../base/random.ts'
import type { Command, Configuration } from '../configuration.ts'

/** A session that a data set repeats. */
export interface Source {
  /** Begins the names of its runs, such as `drift`. */
  readonly name: string
  readonly configuration: Configuration
  /** In the order of their steps. */
  readonly commands: readonly Command[]
  readonly steps: number
}

/** The parts of a data set; a run is in one of them as a whole. */
export type Split = 'train' | 'validation' | 'test'

/** One run. */
export interface Run extends Source {
  /** Its folder, such as `drift-003`. */
  readonly id: string
  readonly split: Split
}

/** Options of a data set. */
export interface PlanOptions {
  readonly runs: number
  /** 32-bit seed of everything that differs between runs. */
  readonly seed: number
}

/** Share of a source's runs in `validation`, and in `test`. */
const heldOut = 0.2
/** Longest delay of the attacks of a run, as a share of the run. */
const latest = 0.1
/** The days of runs: 2026, by UTC. */
const days = { firstUnixSeconds: 1_767_225_600, count: 365 } as const

/**
 * Plans every run, in the order of the sources. A run has a random seed and day, and one random delay of all commands
 * from the first attack on, so that neither time nor number of a frame tells an attack.
 */
export function planRuns(sources: readonly Source[], { runs, seed }: PlanOptions): readonly Run[] {
  return sources.flatMap((source) => {
    const splits = splitRuns(runs, createRandom(seed, `split ${source.name}`))
    return splits.map((split, index) => {
      const id = `${source.name}-${String(index + 1).padStart(3, '0')}`
      return { ...vary(source, createRandom(seed, `run ${id}`)), id, split }
    })
  })
}

/** Draws the runs that are held out; of fewer than five none is. */
function splitRuns(runs: number, random: Random): readonly Split[] {
  const each = Math.floor(runs * heldOut)
  const splits = new Array<Split>(runs).fill('train')
  const drawn = Array.from(splits, (_, index) => ({ index, draw: random.uniform() }))
  const order = drawn.sort((one, other) => one.draw - other.draw)
  for (const { index } of order.slice(0, each)) splits[index] = 'validation'
  for (const { index } of order.slice(each, 2 * each)) splits[index] = 'test'
  return splits
}

/** Draws day, seed and delay of a run; the delay leaves the last command within the run. */
function vary(source: Source, random: Random): Source {
  const { configuration, commands, steps } = source
  const day = random.integer(0, days.count - 1)
  const seed = random.uint32()
  const firstAttack = commands.find(({ kind }) => kind === 'enable')?.step ?? steps
  const lastCommand = Math.max(0, ...commands.map(({ step }) => step).filter((step) => step >= firstAttack))
  const mostDelay = Math.max(0, Math.min(Math.floor(steps * latest), steps - 1 - lastCommand))
  const delay = random.integer(0, mostDelay)
  return {
    ...source,
    configuration: { ...configuration, seed, start_time: days.firstUnixSeconds + day * 86_400 },
    commands: commands
      .filter(({ kind }) => kind !== 'clock')
      .map((command) => (command.step >= firstAttack ? delayCommand(command, delay, random) : command)),
  }
}

function delayCommand(command: Command, delay: number, random: Random): Command {
  const step = command.step + delay
  if (command.kind !== 'enable') return { ...command, step }
  return { ...command, step, order: { ...command.order, seed: random.uint32() } }
}
