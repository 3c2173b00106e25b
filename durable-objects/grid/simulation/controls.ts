/** What an operator does to a session: its clock, its configuration, its breakers and its loads. */

import type { Command, Configuration } from '../../../src/grid/configuration.ts'
import { telecontrolOf } from '../../../src/grid/engine.ts'
import { GridError } from '../../../src/grid/errors.ts'
import { expectEmbedded, type SimulationRun } from './run.ts'

/** Lets the clock drive the session. */
export function startRun(run: SimulationRun, nowMs: number): void {
  expectEmbedded(run, 'start')
  run.setRun('running', nowMs)
}

/** Stops the session where the clock has brought it. */
export function stopRun(run: SimulationRun, nowMs: number): void {
  expectEmbedded(run, 'stop')
  run.advanceNow(nowMs)
  run.setRun('stopped', nowMs)
}

/** Computes steps at once while the clock does not drive them. */
export function stepRun(run: SimulationRun, steps: number): void {
  expectEmbedded(run, 'step')
  if (run.session().run === 'running') {
    throw new GridError('out_of_order', 'Cannot step: the simulation runs by the clock', {
      hint: 'POST /api/v1/sim/stop first',
    })
  }
  run.stepBy(steps)
}

/** Changes how many seconds the simulation computes in a second. */
export function setSpeed(run: SimulationRun, speed: number, nowMs: number): void {
  expectEmbedded(run, 'set the speed')
  run.advanceNow(nowMs)
  run.setSpeed(speed, nowMs)
}

/** Begins a new session, with what is given of a configuration in the place of the present one. */
export function resetRun(run: SimulationRun, change: Partial<Configuration>, nowMs: number): void {
  run.reset({ ...run.session().configuration, ...change }, nowMs)
}

/** Orders a breaker to open or close, which the next step carries out. */
export function switchBreaker(run: SimulationRun, breaker: string, closed: boolean, nowMs: number): Command {
  expectEmbedded(run, 'switch a breaker')
  if (!telecontrolOf(run.world()).branchByBreaker.has(breaker)) {
    throw new GridError('invalid_request', `Cannot switch "${breaker}": no breaker has this id`, {
      hint: 'GET /api/v1/topology lists grid.breakers',
    })
  }
  run.advanceNow(nowMs)
  return run.command({ kind: 'switch', breaker, closed })
}

/** Multiplies every load by a factor from now on. */
export function scaleLoads(run: SimulationRun, scale: number, nowMs: number): Command {
  expectEmbedded(run, 'scale the loads')
  run.advanceNow(nowMs)
  return run.command({ kind: 'load', scale })
}
