/** The manifest of a data set: everything that it holds, with hashes, and everything that it was made from. */

import { stepsPerSecond } from '../configuration.ts'
import type { Run, Split } from './plan.ts'
import type { RunCounts } from './run.ts'

/** A file of a data set. */
export interface WrittenFile {
  readonly path: string
  readonly octets: number
  /** SHA-256 in hexadecimal. */
  readonly sha256: string
}

/** A run that is written. */
export interface WrittenRun extends RunCounts {
  readonly id: string
  readonly source: string
  readonly split: Split
  readonly case: string
  readonly seed: number
  readonly seconds: number
  readonly files: readonly WrittenFile[]
}

/** The manifest. */
export interface Manifest {
  readonly format: 'sluice-grid-dataset'
  readonly version: 1
  /** Release of the program that made it; the same one makes the same octets. */
  readonly release: string
  readonly seed: number
  readonly runs_of_each: number
  /** Documents that were repeated, each as it was given. */
  readonly sources: readonly WrittenFile[]
  readonly runs: readonly WrittenRun[]
}

/** Describes a run with its files. */
export function describeRun(
  { id, name, split, configuration, steps }: Run,
  counts: RunCounts,
  files: readonly WrittenFile[],
): WrittenRun {
  const { case: caseName, seed } = configuration
  return { id, source: name, split, case: caseName, seed, seconds: steps / stepsPerSecond, ...counts, files }
}

/** Sums the counts of runs. */
export function sumCounts(runs: readonly RunCounts[]): RunCounts {
  const attackFrames: Record<string, number> = {}
  for (const run of runs) {
    for (const [type, frames] of Object.entries(run.attackFrames)) {
      attackFrames[type] = (attackFrames[type] ?? 0) + frames
    }
  }
  const sum = (count: (run: RunCounts) => number) => runs.reduce((total, run) => total + count(run), 0)
  return {
    frames: sum(({ frames }) => frames),
    attackFrames,
    flows: sum(({ flows }) => flows),
    attackFlows: sum(({ attackFlows }) => attackFlows),
  }
}
