/** Every attack in its default form against every detector, as the table that `docs/grid.md` shows. */

import { attacks } from '../../src/grid/attacks/catalogue.ts'
import { type Detector, detectors } from '../../src/grid/detection.ts'
import { applyCommand, step, type World, worldTimeUs } from '../../src/grid/engine.ts'
import type { Alarm } from '../../src/grid/view.ts'
import { enable, startWorld } from './grid-session.ts'

/** Seconds before an attack, and of it. */
export const matrixSeconds = { before: 60, attacked: 180 } as const

const names = Object.keys(detectors) as Detector[] // the keys of a constant

/** Seconds from the beginning of an attack to the first alarm of each detector. */
export type Detections = Readonly<Partial<Record<Detector, number>>>

/** Lets one attack act with its default parameters on a session with default configuration. */
export function detect(type: string): Detections {
  const world = startWorld({ load_noise: 0.005 })
  for (let count = 0; count < matrixSeconds.before * 10; count++) step(world)
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

/** Every attack of the catalogue, measured. */
export function measureMatrix(): readonly (readonly [type: string, found: Detections])[] {
  return attacks.map(({ type }) => [type, detect(type)] as const)
}

/**
 * Runs a session in which nobody attacks and the clock is paused twice and jumps once.
 *
 * @param loadSpeed - How much faster than the clock the daily load runs.
 * @returns every alarm.
 */
export function runClean(steps: number, loadSpeed: number, seed: number): readonly Alarm[] {
  const world = startWorld({ load_noise: 0.005, load_speed: loadSpeed, seed })
  const pauses = new Map([
    [Math.floor(steps * 0.2), 75],
    [Math.floor(steps * 0.5) + 7, 3_600],
    [Math.floor(steps * 0.8) + 3, 864.321],
  ])
  const alarms: Alarm[] = []
  for (let count = 0; count < steps; count++) {
    const seconds = pauses.get(count)
    if (seconds !== undefined) pause(world, seconds, seconds > 3_000 ? 'gap' : 'resume')
    alarms.push(...alarmsOf(step(world)))
  }
  return alarms
}

function pause(world: World, seconds: number, reason: 'resume' | 'gap'): void {
  const timeUs = worldTimeUs(world) + Math.round(seconds * 1e6)
  applyCommand(world, { kind: 'clock', step: world.step, timeUs, reason })
}
