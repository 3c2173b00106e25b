/** Carries a session on whose stored world has another form than this release reads, or cannot be read. */

import type { Command, Configuration, PlantOrder } from '../configuration.ts'
import { createWorld } from '../engine.ts'
import { applyCommand } from './apply-command.ts'
import type { World } from './world.ts'

/** The form of a stored world: raise it with every change of `World` (`test/house/stored-forms.test.ts`). */
export const worldFormat = 8

/** The part of a stored session that a new world begins from. */
export interface ResumePoint {
  /** The step that the stored world had reached. */
  readonly step: number
  /** Number of the newest retained frame; 0 when there is none. */
  readonly lastFrameNo: number
  /** Number of the last entry of the field's log by then; 0 when there is none. */
  readonly fieldApplied?: number
}

/** Makes a world of the same clock, breakers, loads and attacks, with new connections, detectors and machines. */
export function resumeWorld(
  configuration: Configuration,
  commands: readonly Command[],
  { step, lastFrameNo, fieldApplied = 0 }: ResumePoint,
): World {
  const world = createWorld(configuration)
  for (const command of commands) {
    if (command.step > step) break
    world.step = command.step
    applyCommand(world, command)
  }
  world.step = step
  // Gaps were reported when they were new.
  world.gaps = []
  world.orders = [...new Map(world.orders.flatMap(splitOrder)).values()]
  world.nextFrameNo = lastFrameNo + 1
  world.field.applied = fieldApplied
  return world
}

/** Splits an order by what it sets, of which the last order counts; in a new plant every load is connected. */
function splitOrder(order: PlantOrder): readonly (readonly [string, PlantOrder])[] {
  if (order.kind === 'restore') return []
  if (order.kind === 'tap') return [[`tap ${order.breaker}`, order]]
  if (order.kind !== 'generator') {
    return [['breaker' in order ? `breaker ${order.breaker}` : `connected ${order.bus}`, order]]
  }
  const { kind, step, bus, ...members } = order
  return Object.entries(members).map(([name, value]) => [`${name} ${bus}`, { kind, step, bus, [name]: value }])
}
