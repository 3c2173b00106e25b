/** Short sessions of the grid for tests: worlds, orders, and steps until something happened. */

import { readOrder } from '#grid/attacks/order.ts'
import {
  type AttackOrder,
  type Configuration,
  defaultConfiguration,
  type SessionDocument,
} from '#grid/configuration.ts'
import type { Alarm } from '#grid/contract/grid.ts'
import { attackSeed, createWorld, findTelecontrol, type StepOutput, step, type World } from '#grid/engine.ts'
import { findChanges, showIncident } from '#grid/records/evidence.ts'
import { applyCommand } from '#grid/step/apply-command.ts'
import type { FieldChange, Incident, PacketLabel, PacketRecord } from '#grid/types.ts'

/** Unix seconds at which test sessions begin. */
export const startTime = 1_764_000_000

/** An order with every default filled in; throws when the request is wrong. */
export function orderOf(
  world: World,
  type: string,
  params: Readonly<Record<string, unknown>> = {},
): Omit<AttackOrder, 'attack_id'> {
  const read = readOrder({ type, params }, findTelecontrol(world), attackSeed(world))
  if (!read.ok) throw new Error(read.mistakes.map(({ message }) => message).join('; '))
  return read.order
}

/** A session as `GET /api/v1/export/session` writes it, without a command. */
export function sessionDocument(change: Partial<SessionDocument> = {}): SessionDocument {
  const { steps = 10, commands = [], configuration = defaultConfiguration, ...more } = change
  return { format: 'sluice-grid-session', version: 1, configuration, commands, steps, ...more }
}

/** Everything that a stretch of a session produced. */
export interface Stretch {
  readonly world: World
  readonly incidents: readonly Incident[]
  readonly frames: readonly PacketRecord[]
  readonly outputs: readonly StepOutput[]
}

/** A world that starts at a known time. */
export function startWorld(change: Partial<Configuration> = {}): World {
  return createWorld({ ...defaultConfiguration, start_time: startTime, load_noise: 0, ...change })
}

/** Enables an attack now. */
export function enable(world: World, type: string, params: Readonly<Record<string, unknown>> = {}): void {
  const order = { ...orderOf(world, type, params), attack_id: `${type}-${world.attackNumber + 1}` }
  applyCommand(world, { kind: 'enable', step: world.step, order })
}

/** Computes steps and collects what they produce. */
export function runSteps(world: World, steps: number): Stretch {
  const outputs = Array.from({ length: steps }, () => step(world))
  return {
    world,
    outputs,
    incidents: outputs.flatMap(({ incidents }) => incidents.map(showIncident)),
    frames: outputs.flatMap(({ frames }) => frames),
  }
}

/** The alarms that a step raised. */
export function alarmsOf({ events }: StepOutput): readonly Alarm[] {
  // The data of an event of this topic is an alarm.
  return events.filter(({ topic }) => topic === 'alarm').map(({ data }) => data as Alarm)
}

const calm = new Map<string, Stretch>()

/** A session without an attack after some steps. Each is computed once; its world is the caller's own. */
export function calmStretch(steps: number, change: Partial<Configuration> = {}): Stretch {
  const key = JSON.stringify([steps, change])
  const known = calm.get(key) ?? runSteps(startWorld(change), steps)
  if (steps <= 200) calm.set(key, known)
  return { ...known, world: structuredClone(known.world) }
}

/** The fields that a frame's label says were changed; none for a clean frame. */
export function changesIn({ label }: { readonly label: PacketLabel | null }): readonly FieldChange[] {
  return label === null ? [] : findChanges(label)
}
