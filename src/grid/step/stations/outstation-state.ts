/** The state that an outstation keeps between requests: its clock, its counters, and whether it has restarted. */

import type { Outstation } from '../../telecontrol/telecontrol.ts'
import type { StepScene } from '../step-context.ts'
import type { OutstationState, Sample, World } from '../world.ts'

/** Seconds after which an outstation asks for the time again. */
const clockGoodSeconds = 600

/** The states of all outstations. */
type States = Pick<World, 'outstations'>

const newOutstationState: OutstationState = {
  clockUs: 0,
  synchronisedUs: null,
  isRestarted: true,
  exportedKwh: 0,
  importedKwh: 0,
  operations: 0,
}

/** Reads the state of an outstation. */
export function stateOf({ outstations }: States, { node }: Pick<Outstation, 'node'>): OutstationState {
  return outstations[node] ?? newOutstationState
}

/** Changes the state of an outstation. */
export function changeState(world: States, { node }: Pick<Outstation, 'node'>, change: Partial<OutstationState>): void {
  world.outstations[node] = { ...stateOf(world, { node }), ...change }
}

/** Sets the clock of an outstation to a time in milliseconds since the Unix epoch, at a moment of the simulation. */
export function setClock(world: States, outstation: Outstation, timeMs: number, timeUs: number): void {
  changeState(world, outstation, { clockUs: timeMs * 1000 - timeUs, synchronisedUs: timeUs })
}

/** The time that an outstation tells, in milliseconds since the Unix epoch; a clock of DNP3 turns over after 48 bits. */
export function readClockMs(world: States, outstation: Outstation, timeUs: number): number {
  return Math.floor((timeUs + stateOf(world, outstation).clockUs) / 1000) % 2 ** 48
}

/** Tests that an outstation asks for the time: it never got it, or long ago. */
export function needsTime(world: States, outstation: Outstation, timeUs: number): boolean {
  const { synchronisedUs } = stateOf(world, outstation)
  return synchronisedUs === null || timeUs - synchronisedUs > clockGoodSeconds * 1e6
}

/** Reads the counters as whole numbers of 32 bits: kWh out of the bus, kWh into it, movements of the breakers. */
export function readCounters(world: States, outstation: Outstation): readonly number[] {
  const { exportedKwh, importedKwh, operations } = stateOf(world, outstation)
  return [exportedKwh, importedKwh, operations].map((count) => Math.floor(count) % 2 ** 32)
}

/** Adds the energy of a scan, as the outstation measured its injection at the beginning. */
export function countEnergy(
  { world, network }: Pick<StepScene, 'world' | 'network'>,
  outstation: Outstation,
  { values }: Sample,
): void {
  const at = outstation.points.findIndex(({ kind }) => kind === 'p_inj')
  const kwh = ((values[at] ?? 0) * network.baseMva * 1000 * world.configuration.scan_s) / 3600
  const { exportedKwh, importedKwh } = stateOf(world, outstation)
  changeState(world, outstation, {
    exportedKwh: exportedKwh + Math.max(0, kwh),
    importedKwh: importedKwh + Math.max(0, -kwh),
  })
}

/** Counts a movement of one of its breakers. */
export function countOperation(world: States, outstation: Outstation): void {
  changeState(world, outstation, { operations: stateOf(world, outstation).operations + 1 })
}
