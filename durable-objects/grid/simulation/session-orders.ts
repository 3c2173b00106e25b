/** Orders that begin, play, start, stop and end sessions; refusals are thrown. */

import type { Sliced } from '#base/slices.ts'
import type { Configuration } from '#grid/configuration.ts'
import type { HandedIn } from '#grid/contract/scenario.ts'
import { GridError } from '#grid/errors.ts'
import { emptyExternal } from '#grid/interface/external.ts'
import type { PlayRequest } from '#grid/interface/scenario-requests.ts'
import { expectEmbedded, expectStopped } from '#grid/interface/session-view.ts'
import { takeAnswers } from '#grid/scenario/describe.ts'
import { mostPeople } from '#grid/scenario/shape.ts'
import { maximumStarts } from '../storage/session-tables.ts'
import { disableOutside } from './external-commands.ts'
import { writeExternal } from './external-session.ts'
import { describe, type SimulationParts } from './parts.ts'

/**
 * Starts the clock.
 *
 * @throws GridError out_of_order when an outside simulator drives the session.
 * @throws GridError too_many when the log of the session has been filled by starts.
 */
export function start(parts: SimulationParts, nowMs: number): object {
  expectEmbedded(parts.session.session().configuration, 'start')
  if (parts.session.commands().length >= maximumStarts && parts.session.session().run !== 'running') {
    throw new GridError('too_many', `Cannot start: the session was started ${maximumStarts} times already`, {
      hint: 'Start a new session: POST /api/v1/sim/reset',
    })
  }
  parts.pace.setRun('running', nowMs)
  parts.clock.start()
  return describe(parts)
}

/**
 * Stops the clock.
 *
 * @throws GridError out_of_order when an outside simulator drives the session.
 */
export function stop(parts: SimulationParts, nowMs: number): object {
  expectEmbedded(parts.session.session().configuration, 'stop')
  parts.stepper.advanceNow(nowMs)
  parts.pace.setRun('stopped', nowMs)
  return describe(parts)
}

/** Begins a new session; fields that are absent keep their present value, but a case ends the use of a network. */
export function begin({ session }: SimulationParts, change: Partial<Configuration>): void {
  const { network, ...present } = session.session().configuration
  const kept = network === undefined || change.case !== undefined ? present : { ...present, network }
  session.create({ ...kept, ...change }, Date.now())
}

/** Begins a new session, announces it to the listeners, and wakes it. */
export function reset(parts: SimulationParts, change: Partial<Configuration>): object {
  begin(parts, change)
  return renew(parts)
}

/** Begins the session anew, with its scenario where it plays one: the same octets unless an operator gives orders. */
export function restart(parts: SimulationParts): object {
  const value = parts.store.readScenario()
  if (value === undefined) return reset(parts, {})
  parts.session.play(value, Date.now())
  return renew(parts)
}

/**
 * Begins a session that plays a scenario; one with mistakes is refused.
 *
 * @throws GridError invalid_request when the scenario has mistakes.
 */
export function play(parts: SimulationParts, { value, start: isStarted }: PlayRequest): object {
  parts.session.play(value, Date.now())
  if (!isStarted) parts.session.write({ run: 'stopped' })
  return renew(parts)
}

/** Keeps answers to the questions of a scenario; refused before its end, and for more people than a session keeps. */
export function handIn({ session, store }: SimulationParts, handedIn: HandedIn): object {
  session.expectExisting()
  const kept = takeAnswers(session.scenario(), session.world().step, handedIn)
  if (store.writeAnswers(kept, mostPeople)) return kept
  throw new GridError('too_many', `Cannot hand answers in: the session holds those of ${mostPeople} others`)
}

function renew(parts: SimulationParts): object {
  disableOutside(parts.external, parts.audience.listeners, {})
  writeExternal(parts.external, emptyExternal)
  parts.clock.touch()
  parts.audience.announce({ topic: 'status', data: { event: 'reset', ...describe(parts) } })
  for (const diagram of Object.values(parts.diagrams)) diagram.repeat()
  parts.field.reset()
  return describe(parts)
}

/**
 * Computes steps in slices. An order between them acts at the step that they have reached; one that starts the clock or
 * another session ends them.
 *
 * @throws GridError out_of_order when the clock runs, or an outside simulator drives the session.
 */
export function* step(parts: SimulationParts, steps: number): Sliced<object> {
  expectStopped(parts.session.session())
  yield* parts.stepper.stepBy(steps)
  return describe(parts)
}

/**
 * Sets the speed, as a multiple of the wall clock's.
 *
 * @throws GridError out_of_order when an outside simulator drives the session.
 */
export function setSpeed(parts: SimulationParts, speed: number, nowMs: number): object {
  expectEmbedded(parts.session.session().configuration, 'set the speed')
  parts.stepper.advanceNow(nowMs)
  parts.pace.setSpeed(speed, nowMs)
  // A check that was planned at the speed before could come too late.
  parts.clock.checkNow()
  return describe(parts)
}

/** Ends every stream and forgets the session in memory; the tables are still to be deleted. */
export function end({ audience, syslog, session, external, field }: SimulationParts): void {
  const reason = 'closed: the simulation was deleted'
  audience.listeners.closeAll(reason)
  audience.relays.closeAll(reason)
  syslog?.close()
  field.end()
  session.forget(Date.now())
  external.state = emptyExternal
}
