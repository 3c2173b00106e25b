/** A session of the grid without an attack, with pauses: its alarms, and what the tests of its scans compare. */

import type { Alarm } from '#grid/contract/grid.ts'
import { step, type World, worldTimeUs } from '#grid/engine.ts'
import { applyCommand } from '#grid/step/apply-command.ts'
import { alarmsOf, startWorld } from './grid-session.ts'

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
  const pauses = pausesOf(steps)
  const alarms: Alarm[] = []
  const scans: CleanScan[] = []
  for (let count = 0; count < steps; count++) {
    const found = pauses.get(count)
    if (found !== undefined) pause(world, found)
    const last = world.view.estimate
    alarms.push(...alarmsOf(step(world)))
    const { estimate } = world.view
    if (estimate === null || estimate === last) continue
    const { objective, degreesOfFreedom, largest } = estimate
    scans.push({ objective, degreesOfFreedom, residual: largest?.residual ?? 0 })
  }
  return { alarms, scans }
}

/** A stretch that the session does not compute; after a gap its clock has jumped, after a pause it goes on. */
interface Pause {
  readonly seconds: number
  readonly reason: 'resume' | 'gap'
}

/** Pauses by their steps: one on a scan and two between scans, of seconds that are whole and that are not. */
function pausesOf(steps: number): ReadonlyMap<number, Pause> {
  return new Map<number, Pause>([
    [Math.floor(steps * 0.2), { seconds: 75, reason: 'resume' }],
    [Math.floor(steps * 0.5) + 7, { seconds: 3_600, reason: 'gap' }],
    [Math.floor(steps * 0.8) + 3, { seconds: 864.321, reason: 'resume' }],
  ])
}

function pause(world: World, { seconds, reason }: Pause): void {
  const timeUs = worldTimeUs(world) + Math.round(seconds * 1e6)
  applyCommand(world, { kind: 'clock', step: world.step, timeUs, reason })
}
