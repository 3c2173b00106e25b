/** Every attack in its default form against every detector, as the table that `docs/grid.md` shows. */

import { attacks } from '#grid/attacks/catalogue.ts'
import type { Alarm } from '#grid/contract/grid.ts'
import { type Detector, detectors } from '#grid/control-centre/detection.ts'
import { readWorld, step, type World, worldTimeUs } from '#grid/engine.ts'
import { applyCommand } from '#grid/step/apply-command.ts'
import { enable, startWorld } from './grid-session.ts'

/** Seconds before an attack, and of it. */
export const matrixSeconds = { before: 60, attacked: 90 } as const

const names = Object.keys(detectors) as Detector[] // the keys of a constant

/** Seconds from the beginning of an attack to the first alarm of each detector. */
export type Detections = Readonly<Partial<Record<Detector, number>>>

/** A session with default configuration, but for its stations, before any attack, as the text of its snapshot. */
function quietSession(iec61850: number): string {
  const world = startWorld({ load_noise: 0.005, iec61850 })
  for (let count = 0; count < matrixSeconds.before * 10; count++) step(world)
  return JSON.stringify(world)
}

/** Lets one attack act with its default parameters from a snapshot on. */
function detect(snapshot: string, type: string): Detections {
  const world = readWorld(snapshot)
  enable(world, type)
  const found: Partial<Record<Detector, number>> = {}
  for (let count = 0; count < matrixSeconds.attacked * 10; count++) {
    for (const { detector } of alarmsOf(step(world))) found[detector as Detector] ??= count / 10
  }
  return found
}

function alarmsOf({ events }: ReturnType<typeof step>): readonly Alarm[] {
  return events.filter(({ topic }) => topic === 'alarm').map(({ data }) => data as Alarm)
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

/** Measures attacks of the catalogue: `one` of each so many, beginning with the first. */
export function measureMatrix(one = 1): readonly (readonly [type: string, found: Detections])[] {
  const chosen = attacks.filter((_, index) => index % one === 0)
  const snapshot = quietSession(0)
  const withStations = chosen.some(({ needs }) => needs !== undefined) ? quietSession(2) : snapshot
  return chosen.map(({ type, needs }) => [type, detect(needs === undefined ? snapshot : withStations, type)] as const)
}

/** Values that the tests of one scan compare. */
export interface CleanScan {
  readonly objective: number
  readonly degreesOfFreedom: number
  readonly residual: number
}

/**
 * Runs a session without an attack, in which the clock is paused twice and jumps once.
 *
 * @param loadSpeed - How much faster than the clock the daily load runs.
 * @returns every alarm, and what was tested in every scan.
 */
export function runClean(
  steps: number,
  loadSpeed: number,
  seed: number,
): { readonly alarms: readonly Alarm[]; readonly scans: readonly CleanScan[] } {
  const world = startWorld({ load_noise: 0.005, load_speed: loadSpeed, seed })
  const pauses = new Map([
    [Math.floor(steps * 0.2), 75],
    [Math.floor(steps * 0.5) + 7, 3_600],
    [Math.floor(steps * 0.8) + 3, 864.321],
  ])
  const alarms: Alarm[] = []
  const scans: CleanScan[] = []
  for (let count = 0; count < steps; count++) {
    const seconds = pauses.get(count)
    if (seconds !== undefined) pause(world, seconds, seconds > 3_000 ? 'gap' : 'resume')
    const before = world.view.estimate
    alarms.push(...alarmsOf(step(world)))
    const { estimate } = world.view
    if (estimate === null || estimate === before) continue
    const { objective, degreesOfFreedom, largest } = estimate
    scans.push({ objective, degreesOfFreedom, residual: largest?.residual ?? 0 })
  }
  return { alarms, scans }
}

function pause(world: World, seconds: number, reason: 'resume' | 'gap'): void {
  const timeUs = worldTimeUs(world) + Math.round(seconds * 1e6)
  applyCommand(world, { kind: 'clock', step: world.step, timeUs, reason })
}
