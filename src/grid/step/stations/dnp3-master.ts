/** The control centre as the master of DNP3 outstations: its start-up, its polls, and what indications make it do. */

import { type Dnp3Fragment, type Dnp3Function, dnp3Indication } from '../../protocols/dnp3-fragment.ts'
import type { Dnp3Object } from '../../protocols/dnp3-objects.ts'
import type { Dnp3Asked, Dnp3Dialogue } from '../dialogue.ts'
import { type Dnp3Request, type Dnp3Sender, requestDnp3 } from './dnp3-dialogue.ts'

/** Class 1, 2, 3 events and then class 0 (IEEE 1815 clause 5.1.7). */
const allClasses: readonly Dnp3Object[] = [2, 3, 4, 1].map((variation) => ({
  kind: 'all' as const,
  group: 60,
  variation,
}))

const eventClasses = allClasses.slice(0, 3)

const integrityPoll: Dnp3Request = { functionCode: 'read', objects: allClasses }

/** The requests with which a master begins, in their order (clause 5.1.8). */
const dnp3Startup: readonly Dnp3Function[] = ['disable_unsolicited', 'read', 'enable_unsolicited']

/** Begins with an outstation: no reports until everything was read. */
export function beginDnp3(master: Dnp3Sender, timeUs: number): void {
  master.connection.dialogue.startup = dnp3Startup
  follow(master, timeUs)
}

/** Polls an outstation. */
export function pollDnp3(master: Dnp3Sender, timeUs: number): void {
  ask(master, 'poll', integrityPoll, timeUs)
}

/** Goes on after a response: clears a restart, ends the start-up, sets the clock where the outstation asks for it. */
export function follow(master: Dnp3Sender, timeUs: number, response?: Dnp3Fragment): void {
  const { dialogue } = master.connection
  const { asked } = dialogue
  const indications = response?.indications ?? 0
  const delay = response?.objects.find((one) => one.kind === 'time_delay')
  dialogue.asked = null
  const [next, ...rest] = dialogue.startup
  if ((indications & dnp3Indication.deviceRestart) !== 0 && asked !== 'restart') {
    const cleared: Dnp3Object = { kind: 'internal_indication', index: 7, isSet: false }
    ask(master, 'restart', { functionCode: 'write', objects: [cleared] }, timeUs)
  } else if (next !== undefined) {
    dialogue.startup = rest
    const request = next === 'read' ? integrityPoll : { functionCode: next, objects: eventClasses }
    ask(master, 'poll', request, timeUs)
  } else if (asked === 'delay' && delay?.kind === 'time_delay') {
    // The way there is shorter than a millisecond, so the time of sending is the time of arrival.
    const clock: Dnp3Object = { kind: 'time', time: Math.floor(timeUs / 1000) }
    ask(master, 'time', { functionCode: 'write', objects: [clock] }, timeUs)
  } else if ((indications & dnp3Indication.needTime) !== 0 && asked !== 'time') {
    ask(master, 'delay', { functionCode: 'delay_measure', objects: [] }, timeUs)
  }
}

function ask(master: Dnp3Sender, asked: Dnp3Asked, request: Dnp3Request, timeUs: number): void {
  master.connection.dialogue.asked = asked
  requestDnp3(master, request, { timeUs })
}

/** Tests that a response answers the last request of the control centre, and not one that was forged among them. */
export function isAwaited({ asked, master }: Dnp3Dialogue, { functionCode, control }: Dnp3Fragment): boolean {
  return functionCode === 'response' && asked !== null && control.sequence === ((master.application + 15) & 15)
}
