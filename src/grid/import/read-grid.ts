/** A grid as a file of another program describes it, before anything is added that the file does not have. */

import { GridError } from '../errors.ts'
import { networkLimits } from '../network/assert-network.ts'
import type { CaseRow, CaseTables } from '../network/case-tables.ts'

/** A bus with its constant-power demand and its fixed admittance, both in MW and MVAr; the admittance at 1 pu. */
export interface ReadBus extends Omit<CaseRow<'buses'>, 'x' | 'y'> {
  /** Coordinates of any scale; absent where the file has none. */
  readonly place?: readonly [x: number, y: number]
}

/** A machine; limits may be infinite. */
export interface ReadGenerator extends Omit<CaseRow<'generators'>, 'machineMva' | 'inertiaS' | 'c2' | 'c1' | 'c0'> {
  /** Rating; absent where the file has none. */
  readonly machineMva?: number
  /** Polynomial of its cost: c2 P^2 + c1 P + c0. */
  readonly cost: readonly [c2: number, c1: number, c0: number]
}

/** A line or transformer in per unit on the grid's base; a rating of 0 means none. */
export interface ReadBranch extends Omit<CaseRow<'branches'>, 'securePickupMva' | 'fragilePickupMva'> {
  /** Its place in the file, for messages, such as `line 7`. */
  readonly place: string
}

/** A grid that was read: only what is in service. */
export interface ReadGrid extends Pick<CaseTables, 'name' | 'baseMva' | 'f0Hz' | 'slackBus' | 'slackAngleDeg'> {
  /** The kind of file, for the description of the case. */
  readonly format: string
  readonly buses: readonly ReadBus[]
  readonly generators: readonly ReadGenerator[]
  readonly branches: readonly ReadBranch[]
  /** Sentences about what was left out or taken as something else. */
  readonly warnings: readonly string[]
}

/**
 * Reads the frequency of a grid whose file has none, from 16 to 70 Hz.
 *
 * @throws GridError invalid_request when it is anything else.
 */
export function readFrequency(written: string): number {
  const value = Number(written)
  const [least, most] = networkLimits.hertz
  if (value >= least && value <= most) return value
  const shown = written.slice(0, 64)
  const state = `frequency is "${shown}", expected hertz from ${least} to ${most}`
  throw new GridError('invalid_request', `Cannot import case: ${state}`)
}
