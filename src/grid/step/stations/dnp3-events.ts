/** Events of a DNP3 outstation: each connection keeps those that its master has not confirmed (IEEE 1815 clause 5.1.3). */

import type { Dnp3Object } from '../../protocols/dnp3-objects.ts'
import { dnp3Flag } from '../../protocols/dnp3-points.ts'
import type { Outstation } from '../../telecontrol/telecontrol.ts'
import type { Dnp3Dialogue, Dnp3Event } from '../dialogue.ts'
import { takeChanges } from '../samples.ts'
import type { StepScene } from '../step-context.ts'
import { readClockMs } from './outstation-state.ts'
import { listMasters } from './session.ts'

/** Most events that wait for one master; the oldest are lost first. */
const mostEvents = 64

/** Seconds after which a missing confirmation is not expected any more. */
const confirmSeconds = 5

/** Remembers an event for the master of a connection. */
export function remember(dialogue: Dnp3Dialogue, event: Dnp3Event): void {
  const events = [...dialogue.events, event]
  const lost = Math.max(0, events.length - mostEvents)
  dialogue.events = events.slice(lost)
  if (lost === 0) return
  dialogue.isOverflown = true
  // Those that a response carries may be among the lost ones: they are reported again.
  dialogue.unconfirmed = null
}

/** Remembers, for every master of an outstation, each value that has left its dead band since it was last an event. */
export function rememberChanges(context: StepScene, outstation: Outstation): void {
  const left = takeChanges(context, outstation)
  if (left.length === 0) return
  const time = readClockMs(context.world, outstation, context.startUs)
  for (const { dialogue } of listMasters(context, outstation, 'DNP3')) {
    for (const { index, value } of left) {
      const point = { index, flags: dnp3Flag.online, value, time }
      remember(dialogue, { eventClass: 2, kind: 'analog_input_event', point })
    }
  }
}

/** Events of some classes as objects: all of one kind behind one header. */
export function listEvents({ events }: Dnp3Dialogue, classes: readonly number[]): readonly Dnp3Object[] {
  const chosen = events.filter(({ eventClass }) => classes.includes(eventClass))
  const binaries = chosen.flatMap((event) => (event.kind === 'binary_input_event' ? [event.point] : []))
  const analogs = chosen.flatMap((event) => (event.kind === 'analog_input_event' ? [event.point] : []))
  const objects = [
    { kind: 'binary_input_event', qualifier: 'index8', points: binaries },
    { kind: 'analog_input_event', qualifier: 'index8', points: analogs },
  ] as const
  return objects.filter(({ points }) => points.length > 0)
}

/** Notes the response that carries all events of some classes, until the master confirms it. */
export function expectConfirm(
  dialogue: Dnp3Dialogue,
  response: { readonly sequence: number; readonly isUnsolicited: boolean },
  classes: readonly number[],
  sentUs: number,
): void {
  const count = dialogue.events.filter(({ eventClass }) => classes.includes(eventClass)).length
  dialogue.unconfirmed = { ...response, count, classes, sentUs }
}

/** Forgets the events of a response that the master confirms; true when it was the one that waits. */
export function confirm(
  dialogue: Dnp3Dialogue,
  { sequence, unsolicited }: { readonly sequence: number; readonly unsolicited: boolean },
): boolean {
  const { unconfirmed } = dialogue
  if (unconfirmed?.sequence !== sequence || unconfirmed.isUnsolicited !== unsolicited) return false
  let { count } = unconfirmed
  dialogue.events = dialogue.events.filter(({ eventClass }) => {
    if (!unconfirmed.classes.includes(eventClass) || count === 0) return true
    count -= 1
    return false
  })
  dialogue.unconfirmed = null
  dialogue.isOverflown = false
  return true
}

/** Tests that a confirmation is still expected. */
export function isUnconfirmed({ unconfirmed }: Dnp3Dialogue, timeUs: number): boolean {
  return unconfirmed !== null && timeUs - unconfirmed.sentUs < confirmSeconds * 1e6
}
