/** Every attack in its default form against every detector, as the table that `docs/grid.md` shows. */

import { attacks } from '#grid/attacks/catalogue.ts'
import { stepsPerSecond } from '#grid/configuration.ts'
import { type Detector, detectors } from '#grid/control-centre/detection.ts'
import { readWorld, step } from '#grid/engine.ts'
import { alarmsOf, enable, startWorld } from './grid-session.ts'

/** Seconds before an attack, and of it. */
export const matrixSeconds = { before: 60, attacked: 90 } as const

const names = Object.keys(detectors) as Detector[] // the keys of a constant

/** Seconds from the beginning of an attack to the first alarm of each detector. */
export type Detections = Readonly<Partial<Record<Detector, number>>>

/** A session with default configuration, but for its stations, before any attack, as the text of its snapshot. */
function quietSession(bays: number): string {
  const world = startWorld({ load_noise: 0.005, iec61850: bays })
  for (let count = 0; count < matrixSeconds.before * stepsPerSecond; count++) step(world)
  return JSON.stringify(world)
}

/** Lets one attack act with its default parameters from a snapshot on. */
function detect(snapshot: string, type: string): Detections {
  const world = readWorld(snapshot)
  enable(world, type)
  const found: Partial<Record<Detector, number>> = {}
  for (let count = 0; count < matrixSeconds.attacked * stepsPerSecond; count++) {
    // An alarm names its detector by the key of the catalogue.
    for (const { detector } of alarmsOf(step(world))) found[detector as Detector] ??= count / stepsPerSecond
  }
  return found
}

/** Writes the matrix: a row for each attack, a column for each detector, seconds where it spoke. */
export function formatMatrix(rows: readonly (readonly [type: string, found: Detections])[]): string {
  const cells = rows.map(([type, found]) => {
    const times = names.map((name) => found[name])
    const first = Math.min(...times.map((time) => time ?? Number.POSITIVE_INFINITY))
    return [type, first.toFixed(1), ...times.map((time) => time?.toFixed(1) ?? '')]
  })
  return [['attack', 'first', ...names], ['---', '---', ...names.map(() => '---')], ...cells]
    .map((row) => `| ${row.join(' | ')} |`)
    .join('\n')
}

/** Measures attacks of the catalogue: one of each `stride`, beginning with the first. */
export function measureMatrix(stride = 1): readonly (readonly [type: string, found: Detections])[] {
  const chosen = attacks.filter((_, index) => index % stride === 0)
  const snapshot = quietSession(0)
  const withStations = chosen.some(({ needs }) => needs !== undefined) ? quietSession(2) : snapshot
  return chosen.map(({ type, needs }) => [type, detect(needs === undefined ? snapshot : withStations, type)] as const)
}
