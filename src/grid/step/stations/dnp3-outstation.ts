/** The DNP3 outstation: it answers polls, keeps its clock, obeys controls, and reports breakers that moved. */

import { encodeHex } from '#base/hex.ts'
import { judgeUnread } from '../../protocols/dnp3.ts'
import { nextUnsolicited, respondTo } from '../../protocols/dnp3-association.ts'
import { type Dnp3Fragment, dnp3Indication, encodeDnp3Fragment, wholeFragment } from '../../protocols/dnp3-fragment.ts'
import type { Dnp3Object } from '../../protocols/dnp3-objects.ts'
import { type Dnp3Point, dnp3ControlCode, dnp3ControlStatus, dnp3Flag } from '../../protocols/dnp3-points.ts'
import type { Outstation } from '../../telecontrol/telecontrol.ts'
import type { Dnp3Dialogue } from '../dialogue.ts'
import type { Outgoing, StepScene } from '../step-context.ts'
import { sendFragment } from './dnp3-dialogue.ts'
import { confirm, expectConfirm, isUnconfirmed, listEvents, remember } from './dnp3-events.ts'
import { type Outcome, readObjects } from './dnp3-reading.ts'
import { changeState, needsTime, readClockMs, setClock, stateOf } from './outstation-state.ts'
import { listMasters, type Session } from './session.ts'
import { isClosed, operate, type Switchgear, selectUs } from './switching.ts'

/** The parts of a step that the outstation touches. */
type Server = Switchgear & Pick<Outgoing, 'queue'>

/** A request that is being served. */
interface Serving extends Session<Dnp3Dialogue, Server> {
  readonly dialogue: Dnp3Dialogue
  readonly request: Dnp3Fragment
  /** Microseconds at which it came, and milliseconds until its answer. */
  readonly timeUs: number
  readonly delayMs: number
}

/** Answers a request of a master; undefined where none is asked for. A delay measurement tells `delayMs`. */
export function serve(
  session: Session<Dnp3Dialogue, Server>,
  request: Dnp3Fragment,
  timeUs: number,
  delayMs = 0,
): Dnp3Fragment | undefined {
  const { dialogue } = session.connection
  if (request.functionCode === 'confirm') {
    const wasMissing = confirm(dialogue, request.control)
    if (wasMissing) reportEvents(session, timeUs)
    return undefined
  }
  const { mistakes, objects, classes = [] } = carryOut({ ...session, dialogue, request, timeUs, delayMs })
  const response = respondTo(request, mistakes | indicate(session, timeUs), objects)
  if (request.functionCode === 'direct_operate_no_ack') return undefined
  if (classes.length === 0) return response
  expectConfirm(dialogue, { sequence: response.control.sequence, isUnsolicited: false }, classes, timeUs)
  return { ...response, control: { ...response.control, confirm: true } }
}

/** Refuses a fragment that cannot be read, with the indication that says why; undefined for what is not a request. */
export function refuse(
  session: Session<Dnp3Dialogue, Pick<StepScene, 'world'>>,
  frames: Uint8Array,
  timeUs: number,
): Dnp3Fragment | undefined {
  const unread = judgeUnread(frames)
  const request =
    unread && ({ control: wholeFragment(unread.control & 15), functionCode: 'read', objects: [] } as const)
  return request && respondTo(request, unread.mistake | indicate(session, timeUs))
}

const done: Outcome = { mistakes: 0, objects: [] }

function carryOut(serving: Serving): Outcome {
  const { dialogue, request, timeUs } = serving
  switch (request.functionCode) {
    case 'read':
      return readObjects(serving, request.objects, timeUs)
    case 'write':
      return write(serving)
    case 'enable_unsolicited':
    case 'disable_unsolicited':
      chooseUnsolicited(dialogue, request)
      return done
    case 'delay_measure':
      return { mistakes: 0, objects: [{ kind: 'time_delay', delayMs: serving.delayMs }] }
    case 'record_current_time':
      dialogue.recordedUs = timeUs
      return done
    case 'select':
    case 'operate':
    case 'direct_operate':
    case 'direct_operate_no_ack':
      return { mistakes: 0, objects: carryOutControls(serving) }
    default:
      return { mistakes: dnp3Indication.noFunctionCodeSupport, objects: [] }
  }
}

/** Adds the classes of events that a request names to those that are reported unasked, or removes them. */
function chooseUnsolicited(dialogue: Dnp3Dialogue, { functionCode, objects }: Dnp3Fragment): void {
  const named = objects.flatMap((one) => (one.kind === 'all' && one.group === 60 ? [one.variation - 1] : []))
  const others = dialogue.unsolicited.filter((one) => !named.includes(one))
  dialogue.unsolicited = functionCode === 'enable_unsolicited' ? [...others, ...named].sort() : others
}

/** The internal indications of a response. */
function indicate(
  { context: { world }, connection: { dialogue }, outstation }: Session<Dnp3Dialogue, Pick<StepScene, 'world'>>,
  timeUs: number,
): number {
  const { isRestarted } = stateOf(world, outstation)
  const has = (wanted: number) => dialogue.events.some(({ eventClass }) => eventClass === wanted)
  return (
    (dialogue.isBroadcast ? dnp3Indication.broadcast : 0) |
    (has(1) ? dnp3Indication.class1Events : 0) |
    (has(2) ? dnp3Indication.class2Events : 0) |
    (needsTime(world, outstation, timeUs) ? dnp3Indication.needTime : 0) |
    (isRestarted ? dnp3Indication.deviceRestart : 0) |
    (dialogue.isOverflown ? dnp3Indication.eventBufferOverflow : 0)
  )
}

/** Writes the clock, or clears the indication of a restart: the objects that the standard lets a master write. */
function write({ context, dialogue, outstation, request, timeUs }: Serving): Outcome {
  for (const object of request.objects) {
    if (object.kind === 'time') setClock(context.world, outstation, object.time, timeUs)
    else if (object.kind === 'recorded_time' && dialogue.recordedUs !== null)
      setClock(context.world, outstation, object.time, dialogue.recordedUs)
    else if (object.kind === 'internal_indication' && object.index === 7 && !object.isSet)
      changeState(context.world, outstation, { isRestarted: false })
    else return { mistakes: dnp3Indication.parameterError, objects: [] }
  }
  return done
}

/** Carries out the controls of a request; its answer repeats them, each with its status. */
function carryOutControls(serving: Serving): readonly Dnp3Object[] {
  const { dialogue, request, timeUs } = serving
  const { functionCode, objects, control } = request
  const value = writeSelection(control.sequence, objects)
  const { selected } = dialogue
  if (functionCode === 'select') {
    const answers = echoControls(objects, (point) => ({ ...point, status: check(serving, point) }))
    // A selection is whole or not at all (clause 4.4.3).
    const isWhole = answers.every((one) => one.kind === 'control' && one.points.every(({ status }) => status === 0))
    const next = writeSelection((control.sequence + 1) & 15, objects)
    dialogue.selected = isWhole ? { value: next, untilUs: timeUs + selectUs } : null
    return answers
  }
  if (functionCode !== 'operate') return echoControls(objects, (point) => operatePoint(serving, point))
  dialogue.selected = null
  const { success, timeout, noSelect } = dnp3ControlStatus
  const isOther = selected?.value !== value
  const status = isOther ? noSelect : timeUs > selected.untilUs ? timeout : success
  return echoControls(objects, (point) => (status === success ? operatePoint(serving, point) : { ...point, status }))
}

/** The sequence and the octets that the operation of a selection has (clause 4.4.3). */
function writeSelection(sequence: number, objects: readonly Dnp3Object[]): string {
  return encodeHex(encodeDnp3Fragment({ control: wholeFragment(sequence), functionCode: 'operate', objects }))
}

function echoControls(objects: readonly Dnp3Object[], answer: (point: Dnp3Point<'control'>) => Dnp3Point<'control'>) {
  return objects.map((object) =>
    object.kind === 'control' ? { ...object, points: object.points.map(answer) } : object,
  )
}

/** The status that a control gets before anything moves. */
function check({ outstation }: Serving, { index, code }: Dnp3Point<'control'>): number {
  const isThere = outstation.branches[index] !== undefined && closingCodes.has(code)
  return isThere ? dnp3ControlStatus.success : dnp3ControlStatus.notSupported
}

function operatePoint(serving: Serving, point: Dnp3Point<'control'>): Dnp3Point<'control'> {
  const { context, outstation, request, timeUs } = serving
  const status = check(serving, point)
  const branch = outstation.branches[point.index]
  if (status !== dnp3ControlStatus.success || branch === undefined) return { ...point, status }
  const cause = `DNP3 ${request.functionCode} at ${outstation.node} point ${point.index}`
  operate(context, { branch, closed: closingCodes.get(point.code) === true, cause, timeUs })
  return { ...point, status }
}

/** True for control codes that close; codes that are not here are refused. */
const closingCodes: ReadonlyMap<number, boolean> = new Map([
  [dnp3ControlCode.trip, false],
  [dnp3ControlCode.latchOff, false],
  [dnp3ControlCode.close, true],
  [dnp3ControlCode.latchOn, true],
])

/** Remembers a breaker that moved for every master, and reports it to those that want it unasked (clause 5.1.3). */
export function report(context: Server, outstation: Outstation, branch: number, timeUs: number): void {
  const point = {
    index: outstation.branches.indexOf(branch),
    flags: dnp3Flag.online | (isClosed(context, branch) ? dnp3Flag.state : 0),
    time: readClockMs(context.world, outstation, timeUs),
  }
  for (const connection of listMasters(context, outstation, 'DNP3')) {
    remember(connection.dialogue, { eventClass: 1, kind: 'binary_input_event', point })
    reportEvents({ context, connection, outstation }, timeUs + 6_000)
  }
}

/** Reports the events that a master wants unasked, one report after the confirmation of the one before. */
function reportEvents(session: Session<Dnp3Dialogue, Server>, timeUs: number): void {
  const { dialogue } = session.connection
  if (isUnconfirmed(dialogue, timeUs)) return
  const objects = listEvents(dialogue, dialogue.unsolicited)
  if (objects.length === 0) return
  const { fragment, sequence } = nextUnsolicited(dialogue.outstation, indicate(session, timeUs), objects)
  dialogue.outstation = sequence
  const sent = { sequence: fragment.control.sequence, isUnsolicited: true }
  expectConfirm(dialogue, sent, dialogue.unsolicited, timeUs)
  sendFragment(session, 'server', fragment, { timeUs })
}
