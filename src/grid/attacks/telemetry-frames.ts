/** Rewrites reports of outstations: measured values and breaker states in messages of every protocol. */

import { decodeDnp3, encodeDnp3 } from '../protocols/dnp3.ts'
import type { Dnp3Object } from '../protocols/dnp3-objects.ts'
import { type Dnp3Point, dnp3Flag } from '../protocols/dnp3-points.ts'
import { decodeIec104, encodeIec104 } from '../protocols/iec104.ts'
import type { Iec104Asdu } from '../protocols/iec104-asdu.ts'
import { decodeMms, encodeMms } from '../protocols/mms/frame.ts'
import type { MmsResult } from '../protocols/mms/variables.ts'
import { decodeModbusResponse, encodeModbusResponse, fromRegisters, toRegisters } from '../protocols/modbus.ts'
import { findConnection } from '../step/connections.ts'
import { allIncluded, findIncluded, type Included, readPosition, toPosition } from '../step/stations/mms-model.ts'
import type { StepScene } from '../step/step-context.ts'
import type { Message } from '../telecontrol/message.ts'
import { type Outstation, type OutstationProtocol, objectAddress, type Point } from '../telecontrol/telecontrol.ts'

/** The value or state that replaces a reported one; absent: unchanged. */
export interface TelemetryChange {
  readonly value?: (point: Point, value: number) => number
  /** @param branch - number of the branch whose breaker is reported. */
  readonly state?: (branch: number, closed: boolean) => boolean
}

/** Tests that a message carries an outstation's measurements or states to the control centre. */
export function isTelemetry({ protocol, purpose }: Message): boolean {
  return purpose === 'reporting' && Object.hasOwn(rewriters, protocol)
}

/** Rewrites a report; the same octets when nothing in it changes, undefined when it cannot be decoded. */
export function rewriteTelemetry(
  { plan, world }: StepScene,
  message: Message,
  change: TelemetryChange,
): Uint8Array | undefined {
  const outstation = plan.outstations.find(({ link }) => link === message.link)
  if (outstation === undefined) return undefined
  const dialogue = findConnection(world, message)?.dialogue
  const readFrom = dialogue?.protocol === 'Modbus' ? dialogue.readFrom : 0
  const full = { value: (_: Point, value: number) => value, state: (_: number, closed: boolean) => closed, ...change }
  return rewriters[outstation.protocol](message.payload, outstation, full, readFrom)
}

type Change = Required<TelemetryChange>

/** @param readFrom - The address of the request, which a Modbus answer does not repeat. */
type Rewrite = (payload: Uint8Array, station: Outstation, change: Change, readFrom: number) => Uint8Array | undefined

function changeValue({ points }: Outstation, index: number, value: number, change: Change) {
  const point = points[index]
  return point === undefined ? value : change.value(point, value)
}

function changeState({ branches }: Outstation, index: number, closed: boolean, change: Change) {
  const branch = branches[index]
  return branch === undefined ? closed : change.state(branch, closed)
}

const rewriteModbus: Rewrite = (payload, outstation, change, readFrom) => {
  const decoded = decodeModbusResponse(payload)
  if (!decoded.ok) return undefined
  const { pdu } = decoded.value
  if (pdu.kind === 'read_input_registers') {
    const values = [...pdu.values]
    // Half of a value, at either end of what was read, cannot be changed.
    for (let at = readFrom % 2; at + 1 < values.length; at += 2) {
      const point = outstation.points[(readFrom + at) / 2]
      if (point === undefined) break
      const value = fromRegisters(values[at] ?? 0, values[at + 1] ?? 0)
      values.splice(at, 2, ...toRegisters(change.value(point, value)))
    }
    return encodeModbusResponse({ ...decoded.value, pdu: { ...pdu, values } })
  }
  if (pdu.kind === 'read_discrete_inputs') {
    const values = pdu.values.map((closed, index) => changeState(outstation, readFrom + index, closed, change))
    return encodeModbusResponse({ ...decoded.value, pdu: { ...pdu, values } })
  }
  return payload
}

const rewriteDnp3: Rewrite = (payload, outstation, change) => {
  const decoded = decodeDnp3(payload)
  if (!decoded.ok) return undefined
  const { fragment } = decoded.value
  const objects = fragment.objects.map((object) => changeObject(object, outstation, change))
  return encodeDnp3({ ...decoded.value, fragment: { ...fragment, objects } }).bytes
}

function changeObject(object: Dnp3Object, outstation: Outstation, change: Change): Dnp3Object {
  const withValue = <P extends Pick<Dnp3Point<'analog_input'>, 'index' | 'value'>>(point: P): P => {
    return { ...point, value: changeValue(outstation, point.index, point.value, change) }
  }
  const withState = <P extends Pick<Dnp3Point<'binary_input'>, 'index' | 'flags'>>(point: P): P => {
    const isOn = changeState(outstation, point.index, (point.flags & dnp3Flag.state) !== 0, change)
    return { ...point, flags: isOn ? point.flags | dnp3Flag.state : point.flags & ~dnp3Flag.state }
  }
  switch (object.kind) {
    case 'analog_input':
      return { ...object, points: object.points.map(withValue) }
    case 'analog_input_event':
      return { ...object, points: object.points.map(withValue) }
    case 'binary_input':
      return { ...object, points: object.points.map(withState) }
    case 'binary_input_event':
      return { ...object, points: object.points.map(withState) }
    default:
      return object
  }
}

const rewriteIec104: Rewrite = (payload, outstation, change) => {
  const decoded = decodeIec104(payload)
  if (!decoded.ok || decoded.value.format !== 'I') return undefined
  const asdu = changeAsdu(decoded.value.asdu, outstation, change)
  return encodeIec104({ ...decoded.value, asdu })
}

function changeAsdu(asdu: Iec104Asdu, outstation: Outstation, change: Change): Iec104Asdu {
  const withValue = <O extends { readonly address: number; readonly value: number }>(object: O): O => {
    return {
      ...object,
      value: changeValue(outstation, object.address - objectAddress.measurement, object.value, change),
    }
  }
  const withState = <O extends { readonly address: number; readonly isOn: boolean }>(object: O): O => {
    return { ...object, isOn: changeState(outstation, object.address - objectAddress.state, object.isOn, change) }
  }
  switch (asdu.type) {
    case 'M_ME_NC_1':
      return { ...asdu, objects: asdu.objects.map(withValue) }
    case 'M_ME_TF_1':
      return { ...asdu, objects: asdu.objects.map(withValue) }
    case 'M_SP_NA_1':
      return { ...asdu, objects: asdu.objects.map(withState) }
    case 'M_SP_TB_1':
      return { ...asdu, objects: asdu.objects.map(withState) }
    default:
      return asdu
  }
}

/** Rewrites an answer that repeats the data set which was read, and a report; others pass. */
const rewriteMms: Rewrite = (payload, outstation, change) => {
  const decoded = decodeMms(payload)
  if (!decoded.ok || decoded.value.kind !== 'data') return undefined
  const { pdu } = decoded.value
  if (pdu.kind === 'information_report' && 'list' in pdu.variables) {
    const results = changeResults(outstation, pdu.results, findIncluded(outstation, pdu.results), change)
    return encodeMms({ ...decoded.value, pdu: { ...pdu, results } })
  }
  if (pdu.kind !== 'confirmed_response' || pdu.response.service !== 'read') return payload
  const { response } = pdu
  if (response.variables === undefined || !('list' in response.variables)) return payload
  const results = changeResults(outstation, response.results, allIncluded(outstation), change)
  return encodeMms({ ...decoded.value, pdu: { ...pdu, response: { ...response, results } } })
}

function changeResults(
  outstation: Outstation,
  results: readonly MmsResult[],
  { members, from }: Included,
  change: Change,
): readonly MmsResult[] {
  const first = outstation.points.length
  return results.map((data, at) => {
    const member = members[at - from]
    if (member === undefined) return data
    if (data.kind === 'float') return { ...data, value: changeValue(outstation, member, data.value, change) }
    const closed = readPosition(data)
    return closed === undefined ? data : toPosition(changeState(outstation, member - first, closed, change))
  })
}

const rewriters: Readonly<Record<OutstationProtocol, Rewrite>> = {
  Modbus: rewriteModbus,
  DNP3: rewriteDnp3,
  IEC104: rewriteIec104,
  MMS: rewriteMms,
}
