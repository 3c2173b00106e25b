/** DNP3 stations: the master polls outstations, and messages at either end are taken in. */

import { watchAnswer, watchMaster, watchWriter } from '../../control-centre/link-monitor.ts'
import { decodeDnp3, dnp3Port } from '../../protocols/dnp3.ts'
import { newDnp3Sequence, toConfirm } from '../../protocols/dnp3-association.ts'
import type { Dnp3Fragment } from '../../protocols/dnp3-fragment.ts'
import type { Dnp3Object } from '../../protocols/dnp3-objects.ts'
import { dnp3ControlCode, dnp3Flag } from '../../protocols/dnp3-points.ts'
import type { Message } from '../../telecontrol/message.ts'
import type { Outstation } from '../../telecontrol/telecontrol.ts'
import { findConnection } from '../connections.ts'
import type { StepContext } from '../step-context.ts'
import { classifyFragment, requestDnp3, sendFragment } from './dnp3-dialogue.ts'
import { report, serve } from './dnp3-outstation.ts'
import { acceptStates, acceptValues, answerDelayUs, dueOutstations, ensureConnection } from './polling.ts'
import type { OutstationStation } from './station.ts'

const afterHandshakeUs = 900

/** Class 1, 2, 3 events and then class 0: an integrity poll (IEEE 1815 clause 5.1.7). */
const integrityPoll: readonly Dnp3Object[] = [2, 3, 4, 1].map((variation) => ({
  kind: 'all' as const,
  group: 60,
  variation,
}))

const eventClasses = integrityPoll.slice(0, 3)

/** DNP3 outstations: they answer polls, report breakers that moved, and obey controls. */
export const dnp3Station: OutstationStation = {
  port: dnp3Port,
  open: () => ({
    protocol: 'DNP3',
    master: newDnp3Sequence,
    outstation: newDnp3Sequence,
    selected: null,
  }),
  poll,
  receive,
  report,
  command(context, connection, _, { index, closed, timeUs }, forged) {
    const code = closed ? dnp3ControlCode.close : dnp3ControlCode.trip
    const point = { index, code, count: 1, onTimeMs: 100, offTimeMs: 100, status: 0 }
    const object = { kind: 'control', qualifier: 'index8', points: [point] } as const
    requestDnp3(context, connection, 'direct_operate', [object], timeUs, forged)
  },
}

/** Polls every due outstation; a new connection first enables unsolicited reports. */
function poll(context: StepContext): void {
  for (const { outstation, timeUs } of dueOutstations(context, 'DNP3')) {
    const { connection, isNew } = ensureConnection(context, outstation, dnp3Station, timeUs)
    const start = timeUs + afterHandshakeUs
    if (isNew) requestDnp3(context, connection, 'enable_unsolicited', eventClasses, start)
    requestDnp3(context, connection, 'read', integrityPoll, isNew ? start + 8_000 : start)
  }
}

/** Takes in a message of a DNP3 connection at either end. */
function receive(context: StepContext, message: Message, payload: Uint8Array): void {
  const connection = findConnection(context.world, message)
  const outstation = context.plan.outstations.find(({ node }) => node === connection?.serverNode)
  const decoded = decodeDnp3(payload)
  if (connection === undefined || outstation === undefined || !decoded.ok || message.carrier.kind !== 'tcp') return
  const { fragment } = decoded.value
  const answerUs = message.timeUs + answerDelayUs(context)
  if (message.carrier.side === 'client') {
    watchMaster(context, outstation, connection)
    if (classifyFragment(fragment) === 'command') {
      watchWriter(context, outstation, connection, `DNP3 ${fragment.functionCode}`)
    }
    const response = serve(context, connection, outstation, fragment, message.timeUs)
    if (response !== undefined) sendFragment(context, connection, 'server', response, answerUs)
    return
  }
  if (connection.label === null) accept(context, outstation, fragment, message.timeUs)
  if (fragment.control.confirm) sendFragment(context, connection, 'client', toConfirm(fragment), answerUs)
}

function accept(context: StepContext, outstation: Outstation, { objects }: Dnp3Fragment, timeUs: number): void {
  for (const object of objects) {
    if (object.kind === 'analog_input') {
      const values: number[] = []
      for (const { index, value } of object.points) values[index] = value
      acceptValues(context, outstation, values, timeUs)
    } else if (object.kind === 'binary_input' || object.kind === 'binary_input_event') {
      const states = object.points.map(({ index, flags }) => ({
        index,
        closed: (flags & dnp3Flag.state) !== 0,
      }))
      acceptStates(context, outstation, states)
    } else if (object.kind === 'control') watchAnswer(context, outstation, 'a DNP3 control')
  }
}
