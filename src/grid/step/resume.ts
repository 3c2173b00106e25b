/** Carries a session over from a build whose worlds the present engine does not read. */

import * as z from 'zod'
import { findAttack } from '../attacks/catalogue.ts'
import type { Command, Configuration } from '../configuration.ts'
import { createWorld, telecontrolOf } from '../engine.ts'
import { applyCommand } from './apply-command.ts'
import type { World } from './world.ts'

/**
 * Number of the form that a stored world has. Raise it with every change of what `World` holds that
 * `readWorld` cannot complete; `test/house/stored-forms.test.ts` holds the form. Builds before there were numbers wrote
 * format 0.
 */
export const worldFormat = 1

const counters = z.object({
  total_packets: z.number(),
  modified_packets: z.number(),
  dropped_packets: z.number(),
})

/** Fields that are taken over from a world of any form: numbers that records refer to, and the progress of attacks. */
const carriedOver = z.object({
  nextFrameNo: z.number().catch(0),
  lastFrameUs: z.number().catch(0),
  totals: counters.catch({ total_packets: 0, modified_packets: 0, dropped_packets: 0 }),
  attacks: z
    .array(
      z.object({
        order: z.object({ attack_id: z.string() }),
        seen: z.record(z.string(), z.number()).catch({}),
        counters: counters.catch({ total_packets: 0, modified_packets: 0, dropped_packets: 0 }),
      }),
    )
    .catch([]),
  plant: z
    .object({ open: z.array(z.int()) })
    .optional()
    .catch(undefined),
})

/** What is known of a session besides its configuration and its commands. */
export interface StoredWorld {
  /** The step that the stored world had reached. */
  readonly step: number
  /** The stored world as it was parsed; anything at all. */
  readonly value: unknown
  /** Number of the newest retained frame; 0 when there is none. */
  readonly lastFrameNo: number
}

/**
 * Makes a world for a session whose stored world cannot be read: clock, breakers, loads and attacks of the same step,
 * with new connections, detectors and machines.
 *
 * @param commands - The session's log; those after `step` are left for the caller.
 */
export function resumeWorld(
  configuration: Configuration,
  commands: readonly Command[],
  { step, value, lastFrameNo }: StoredWorld,
): World {
  const world = commandWorld(configuration, commands, step)
  // Gaps were reported when they were new.
  world.gaps = []
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  const carried = carriedOver.parse(isObject ? value : {})
  world.switching = listSwitching(world, carried.plant?.open)
  world.nextFrameNo = Math.max(carried.nextFrameNo, lastFrameNo + 1)
  world.lastFrameUs = carried.lastFrameUs
  world.totals = carried.totals
  carryProgress(world, carried)
  return world
}

/** A new world at `step` to which every command until then was applied, and no step computed. */
function commandWorld(configuration: Configuration, commands: readonly Command[], step: number): World {
  const world = createWorld(configuration)
  for (const command of commands) {
    if (command.step > step) break
    world.step = command.step
    applyCommand(world, command)
  }
  world.step = step
  return world
}

/** Lets each enabled attack go on from the messages that it had seen. */
function carryProgress(world: World, carried: z.infer<typeof carriedOver>): void {
  for (const state of world.attacks) {
    const earlier = carried.attacks.find(({ order }) => order.attack_id === state.order.attack_id)
    if (earlier === undefined) continue
    state.seen = earlier.seen
    state.counters = earlier.counters
  }
}

/** Counts the messages that a stored world of any form had seen; 0 where it does not say. */
export function countMessages(value: unknown): number {
  return z.object({ totals: counters }).safeParse(value).data?.totals.total_packets ?? 0
}

/** What the first step switches: breakers that were open; where that is unknown, the last order for each breaker. */
function listSwitching(world: World, open: readonly number[] | undefined): World['switching'] {
  if (open === undefined) {
    return [...new Map(world.switching.map((order) => [order.breaker, order])).values()]
  }
  return [...telecontrolOf(world).branchByBreaker]
    .filter(([, branch]) => open.includes(branch))
    .map(([breaker]) => ({ breaker, closed: false }))
}

/** Adds the newer parameters of its type to an order of an earlier build, with their defaults. */
export function completeCommand(command: Command): Command {
  if (command.kind !== 'enable') return command
  const table = findAttack(command.order.type)?.params ?? {}
  const added = Object.entries(table)
    .filter(([name, spec]) => !Object.hasOwn(command.order.params, name) && spec.default !== undefined)
    .map(([name, spec]) => [name, spec.default] as const)
  if (added.length === 0) return command
  const params = { ...Object.fromEntries(added), ...command.order.params }
  return { ...command, order: { ...command.order, params: params as typeof command.order.params } }
}
