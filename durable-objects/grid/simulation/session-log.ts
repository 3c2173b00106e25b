/** The log of a session: commands, and what masters from outside did, each applied and written at its step. */

import { applyField } from '#grid/channel/outside.ts'
import { type Command, type FieldEntry, stepUs } from '#grid/configuration.ts'
import { worldTimeUs } from '#grid/engine.ts'
import { GridError } from '#grid/errors.ts'
import { applyCommand } from '#grid/step/apply-command.ts'
import type { FieldOctets } from '#grid/step/step-context.ts'
import { maximumCommands, maximumField } from '../storage/session-tables.ts'
import type { LiveSession } from './session-state.ts'

/** A command without its step, which the session adds. */
export type CommandBody = Command extends infer One ? (One extends Command ? Omit<One, 'step'> : never) : never

/**
 * Applies a command at the step that the session has reached, and logs it.
 *
 * @throws GridError too_many when the log is full and the command is an order.
 */
export function takeCommand(live: LiveSession, body: CommandBody): Command {
  const { commands, world } = live.state
  // A full log still takes the end of an attack and a set clock: without them the session could not go on.
  const isOrder = body.kind !== 'disable' && body.kind !== 'clock'
  if (isOrder && commands.length >= maximumCommands) {
    throw logIsFull(`Cannot take the order: the session holds ${maximumCommands} commands already`)
  }
  const command = { ...body, step: world.step } as Command // CommandBody is a Command without exactly this field
  logCommand(live, command)
  return command
}

/** Applies a command that has its step, and logs it. */
export function logCommand({ store, state }: LiveSession, command: Command): void {
  const { commands, session, world } = state
  if (commands.length === 0) store.writeSession(session)
  store.appendCommand(commands.length + 1, command)
  commands.push(command)
  applyCommand(world, command)
}

/** Microseconds from an answer of the simulation to what a master does then. */
const leastGapUs = 50

/** Something that a master from outside did. */
export interface FieldAction {
  readonly event: FieldEntry['event']
  /** The number of its connection; absent for one that opens, which gets the number of its entry. */
  readonly connection?: number
  /** Microseconds of the next step that have passed. */
  readonly sinceUs: number
}

/** The entry of an action in the log, and the octets that answer it at once. */
export interface TakenAction {
  readonly entry: FieldEntry
  readonly octets: readonly FieldOctets[]
}

/**
 * Applies what a master from outside did, and logs it.
 *
 * @throws GridError too_many when the log is full.
 */
export function takeField({ store, state }: LiveSession, { event, connection, sinceUs }: FieldAction): TakenAction {
  const { world, outside, session } = state
  const number = world.field.applied + 1
  if (number > maximumField) {
    throw logIsFull(`Cannot go on: the session holds ${maximumField} entries of the field already`)
  }
  // An action comes after the answers before it, but not more than ten steps late.
  const startUs = worldTimeUs(world)
  const last = outside.drafts.at(-1)?.timeUs ?? startUs
  const atUs = Math.max(sinceUs, Math.min(last - startUs + leastGapUs, 10 * stepUs))
  const place = { number, step: world.step, commands: world.commandsApplied, atUs }
  const entry = { ...place, connection: connection ?? number, event }
  if (number === 1) store.writeSession(session)
  store.appendField(entry)
  return { entry, octets: applyField(world, entry, outside) }
}

function logIsFull(message: string): GridError {
  return new GridError('too_many', message, { hint: 'Start a new session: POST /api/v1/sim/reset' })
}
