/** A session as the interface reads it, and the checks of what its mode and its run state allow. */

import { nearest } from '../../base/nearest.ts'
import type { Command, Configuration, FieldEntry } from '../configuration.ts'
import { GridError } from '../errors.ts'
import type { Network } from '../network/network.ts'
import type { Records } from '../records/records.ts'
import type { Pace } from '../step/step-schedule.ts'
import type { World } from '../step/world.ts'
import type { ExternalState } from './external.ts'

/** The state of the clock: `new` and `paused` wake by themselves, `stopped` waits for a start. */
export type RunState = 'new' | 'running' | 'paused' | 'stopped'

/** The facts of a session besides its world and its records. */
export interface SessionFacts extends Pace {
  readonly sessionId: string
  /** Unix time in milliseconds. */
  readonly createdMs: number
  readonly configuration: Configuration
  readonly run: RunState
}

/** Everything that answers are computed from. */
export interface SessionView {
  readonly session: SessionFacts
  readonly world: World
  readonly records: Records
  readonly commands: readonly Command[]
  /** Reads what masters from outside did. */
  readonly field: () => readonly FieldEntry[]
  readonly external: ExternalState
}

/** Tests that an outside simulator drives a session. */
export function isExternal({ mode }: Configuration): boolean {
  return mode === 'external'
}

/**
 * Refuses what only the engine can do.
 *
 * @throws GridError out_of_order when an outside simulator drives the session.
 */
export function expectEmbedded(configuration: Configuration, action: string): void {
  if (!isExternal(configuration)) return
  throw new GridError('out_of_order', `Cannot ${action}: an outside simulator drives this session`, {
    hint: 'POST /api/v1/sim/config {"mode": "embedded"} gives the session back to the engine here',
  })
}

/**
 * Refuses what only an outside simulator can send.
 *
 * @throws GridError out_of_order when the engine drives the session.
 */
export function expectExternal(configuration: Configuration, action: string): void {
  if (isExternal(configuration)) return
  throw new GridError('out_of_order', `Cannot ${action}: the embedded engine drives this session`, {
    hint: 'POST /api/v1/sim/config {"mode": "external"} begins a session that you feed',
  })
}

/**
 * Refuses to compute steps by hand in a session that is driven otherwise.
 *
 * @throws GridError out_of_order when the clock or an outside simulator drives the session.
 */
export function expectStopped({ run, configuration }: SessionFacts): void {
  expectEmbedded(configuration, 'step')
  if (run !== 'running') return
  throw new GridError('out_of_order', 'Cannot step: the simulation runs by the clock', {
    hint: 'POST /api/v1/sim/stop first',
  })
}

/**
 * Finds the branch of a breaker.
 *
 * @throws GridError invalid_request when the network does not have the breaker; the hint names the nearest.
 */
export function requireBreaker(
  { branchByBreaker }: { readonly branchByBreaker: ReadonlyMap<string, number> },
  breaker: string,
  refusal = `Cannot switch "${breaker}": no breaker has this id`,
): number {
  const branch = branchByBreaker.get(breaker)
  if (branch !== undefined) return branch
  const meant = nearest(breaker, branchByBreaker.keys())
  const suggestion = meant === undefined ? '' : `Did you mean "${meant}"? `
  throw new GridError('invalid_request', refusal, { hint: `${suggestion}GET /api/v1/topology lists grid.breakers` })
}

/**
 * Checks that a bus has what an order is about.
 *
 * @throws GridError invalid_request when the bus has no machine, or no load.
 */
export function requireAtBus({ generators, loads }: Network, kind: 'generator' | 'restore', bus: number): void {
  const [list, name] = kind === 'generator' ? [generators, 'machine'] : [loads, 'load']
  if (list.some((one) => one.bus === bus)) return
  const buses = [...new Set(list.map((one) => one.bus))].join(', ')
  throw new GridError('invalid_request', `Cannot find a ${name} at bus ${bus}: expected one of ${buses}`)
}
