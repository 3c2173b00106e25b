/** The DNP3 outstation: it answers polls, obeys controls, and reports breakers that moved. */

import { nextUnsolicited, respondTo } from '../../protocols/dnp3-association.ts'
import { type Dnp3Fragment, dnp3Indication } from '../../protocols/dnp3-fragment.ts'
import type { Dnp3Object } from '../../protocols/dnp3-objects.ts'
import { type Dnp3Point, dnp3ControlCode, dnp3ControlStatus, dnp3Flag } from '../../protocols/dnp3-points.ts'
import type { Outstation } from '../../telecontrol/telecontrol.ts'
import type { Outgoing } from '../step-context.ts'
import type { Connection } from '../world.ts'
import { sendFragment } from './dnp3-dialogue.ts'
import { connectionId } from './polling.ts'
import { isClosed, operate, type Switchgear } from './switching.ts'

/** The parts of a step that the outstation touches. */
type Server = Switchgear & Pick<Outgoing, 'queue'>

/** Answers a request of a master; undefined where the protocol asks for no answer. */
export function serve(
  context: Server,
  connection: Connection,
  outstation: Outstation,
  request: Dnp3Fragment,
  timeUs: number,
): Dnp3Fragment | undefined {
  switch (request.functionCode) {
    case 'confirm':
      return undefined
    case 'read':
      return respondTo(request, 0, staticData(context, outstation))
    case 'enable_unsolicited':
    case 'disable_unsolicited':
      return respondTo(request, 0)
    case 'select':
    case 'operate':
    case 'direct_operate':
    case 'direct_operate_no_ack': {
      const carryOut = (point: Dnp3Point<'control'>) => control(context, connection, outstation, request, point, timeUs)
      const echoed = echoControls(request, carryOut)
      return request.functionCode === 'direct_operate_no_ack' ? undefined : respondTo(request, 0, echoed)
    }
    default:
      return respondTo(request, dnp3Indication.noFunctionCodeSupport)
  }
}

/** The objects of a request as its answer repeats them: each control with its status. */
function echoControls(
  { objects }: Dnp3Fragment,
  carryOut: (point: Dnp3Point<'control'>) => Dnp3Point<'control'>,
): readonly Dnp3Object[] {
  return objects.map((object) =>
    object.kind === 'control' ? { ...object, points: object.points.map(carryOut) } : object,
  )
}

/** The data of class 0: all binaries, then all analogues, of the last scan. */
function staticData(context: Server, outstation: Outstation): Dnp3Object[] {
  const sample = context.world.samples[outstation.node]
  const closed = sample?.closed ?? []
  const values = sample?.values ?? []
  const binaries: Dnp3Object = {
    kind: 'binary_input',
    qualifier: 'range8',
    points: closed.map((isOn, index) => ({
      index,
      flags: dnp3Flag.online | (isOn ? dnp3Flag.state : 0),
    })),
  }
  const analogs: Dnp3Object = {
    kind: 'analog_input',
    qualifier: 'range8',
    points: values.map((value, index) => ({ index, flags: dnp3Flag.online, value })),
  }
  return [...(closed.length > 0 ? [binaries] : []), ...(values.length > 0 ? [analogs] : [])]
}

/** Carries out one control relay output block, and answers with its status. */
function control(
  context: Server,
  connection: Connection,
  outstation: Outstation,
  { functionCode }: Dnp3Fragment,
  point: Dnp3Point<'control'>,
  timeUs: number,
): Dnp3Point<'control'> {
  const { dialogue } = connection
  const branch = outstation.branches[point.index]
  const closes = closingCodes.get(point.code)
  if (dialogue.protocol !== 'DNP3' || branch === undefined || closes === undefined) {
    return { ...point, status: dnp3ControlStatus.notSupported }
  }
  if (functionCode === 'select') {
    dialogue.selected = point.index
    return { ...point, status: dnp3ControlStatus.success }
  }
  if (functionCode === 'operate' && dialogue.selected !== point.index) {
    return { ...point, status: dnp3ControlStatus.noSelect }
  }
  dialogue.selected = null
  operate(context, branch, closes, `DNP3 ${functionCode} at ${outstation.node} point ${point.index}`, timeUs)
  return { ...point, status: dnp3ControlStatus.success }
}

/** True for control codes that close; codes that are not here are refused. */
const closingCodes: ReadonlyMap<number, boolean> = new Map([
  [dnp3ControlCode.trip, false],
  [dnp3ControlCode.latchOff, false],
  [dnp3ControlCode.close, true],
  [dnp3ControlCode.latchOn, true],
])

/** Reports a breaker that moved, without being asked (IEEE 1815 clause 5.1.3). */
export function report(context: Server, outstation: Outstation, branch: number, timeUs: number): void {
  const connection = context.world.connections[connectionId(outstation)]
  if (connection?.dialogue.protocol !== 'DNP3' || connection.flow.phase !== 'established') return
  const event: Dnp3Object = {
    kind: 'binary_input_event',
    qualifier: 'index8',
    points: [
      {
        index: outstation.branches.indexOf(branch),
        flags: dnp3Flag.online | (isClosed(context, branch) ? dnp3Flag.state : 0),
        time: Math.floor(timeUs / 1000),
      },
    ],
  }
  const { fragment, sequence } = nextUnsolicited(connection.dialogue.outstation, 0, [event])
  connection.dialogue.outstation = sequence
  sendFragment(context, connection, 'server', fragment, timeUs + 6_000)
}
