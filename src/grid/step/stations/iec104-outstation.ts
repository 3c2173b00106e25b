/** The IEC 104 outstation: it reports in cycles and by itself, answers interrogations, keeps its clock and obeys commands. */

import type { ControlCentre } from '../../control-centre/context.ts'
import { watchWriter } from '../../control-centre/link-monitor.ts'
import { type Iec104Asdu, type Iec104TypeName, iec104Broadcast, iec104Cause } from '../../protocols/iec104-asdu.ts'
import { type Cp56Time, fromCp56Time, toCp56Time } from '../../protocols/iec104-time.ts'
import { type Outstation, objectAddress } from '../../telecontrol/telecontrol.ts'
import type { Iec104Dialogue } from '../dialogue.ts'
import type { Outgoing, StepScene } from '../step-context.ts'
import type { Sample } from '../world.ts'
import { putAsdu, spacingUs, toAsdu } from './iec104-dialogue.ts'
import { needsTime, readClockMs, readCounters, setClock, takeChanges } from './outstation-state.ts'
import { answerDelayUs } from './polling.ts'
import { listMasters, type Session } from './session.ts'
import { isClosed, isSelected, operate, type Switchgear, selectUs } from './switching.ts'

/** Most values with a time in one ASDU of 249 octets. */
const mostTimed = 16

/** The parts of a step that the outstation touches. */
type Server = Switchgear & Pick<Outgoing, 'queue'>

/** Reports every state and measurement of the last scan, with the cause that the reports carry. */
export function reportAll(
  { context, connection, outstation }: Session<Iec104Dialogue, Pick<StepScene, 'world'> & Pick<Outgoing, 'queue'>>,
  cause: number,
  timeUs: number,
): void {
  const sample = context.world.samples[outstation.node]
  if (sample === undefined) return
  const origin = { cause, commonAddress: outstation.address }
  if (sample.closed.length > 0) {
    putAsdu(context, connection, 'server', toStates(sample, origin), timeUs)
  }
  putAsdu(context, connection, 'server', toMeasurements(sample, origin), timeUs + spacingUs)
}

/** The cause of transmission of an ASDU, and the station that sends it. */
type Origin = Pick<Iec104Asdu, 'cause' | 'commonAddress'>

function toStates({ closed }: Sample, origin: Origin): Iec104Asdu {
  const objects = closed.map((isOn, index) => ({ address: objectAddress.state + index, isOn, quality: 0 }))
  return toAsdu({ type: 'M_SP_NA_1', objects, ...origin })
}

function toMeasurements({ values }: Sample, origin: Origin): Iec104Asdu {
  const objects = values.map((value, index) => ({ address: objectAddress.measurement + index, value, quality: 0 }))
  return toAsdu({ type: 'M_ME_NC_1', objects, ...origin })
}

function toTotals(counters: readonly number[], origin: Origin): Iec104Asdu {
  const total = { sequence: 0, quality: 0 }
  const objects = counters.map((count, index) => ({ address: objectAddress.counter + index, count, ...total }))
  return toAsdu({ type: 'M_IT_NA_1', objects, ...origin })
}

/** The types that may go to all stations at once. */
const broadcastTypes: ReadonlySet<Iec104TypeName> = new Set(['C_IC_NA_1', 'C_CI_NA_1', 'C_CS_NA_1'])

/** Serves a request; refusals repeat it with the cause that says why (IEC 60870-5-101 clause 7.2.3). */
export function serve(
  session: Session<Iec104Dialogue, Server & ControlCentre>,
  asdu: Iec104Asdu,
  timeUs: number,
): void {
  const { context, connection, outstation } = session
  const isBroadcast = asdu.commonAddress === iec104Broadcast && broadcastTypes.has(asdu.type)
  // The confirmation of a broadcast comes from one station, and names it.
  const commonAddress = isBroadcast ? outstation.address : asdu.commonAddress
  const send = (answer: Iec104Asdu, delayUs = 0) => putAsdu(context, connection, 'server', answer, timeUs + delayUs)
  const answer: Answer = (cause, isNegative = false, delayUs = 0) =>
    send({ ...asdu, commonAddress, cause, isNegative }, delayUs)
  if (commonAddress !== outstation.address) answer(iec104Cause.unknownCommonAddress, true)
  else if (!isServed(asdu.type)) answer(iec104Cause.unknownType, true)
  else if (!listCauses(asdu.type).includes(asdu.cause)) answer(iec104Cause.unknownCause, true)
  else carryOut({ ...session, timeUs, answer, send }, asdu)
}

/** Repeats the request with a cause, as a refusal where `isNegative`; `delayUs` later than at once. */
type Answer = (cause: number, isNegative?: boolean, delayUs?: number) => void

/** A request that is being served. */
interface Serving extends Session<Iec104Dialogue, Server & ControlCentre> {
  readonly timeUs: number
  readonly answer: Answer
  readonly send: (asdu: Iec104Asdu, delayUs?: number) => void
}

function isServed(type: Iec104TypeName): boolean {
  return type.startsWith('C_') && type !== 'C_SE_NC_1'
}

function listCauses(type: Iec104TypeName): readonly number[] {
  if (type === 'C_RD_NA_1') return [iec104Cause.request]
  const isCommand = type === 'C_SC_NA_1' || type === 'C_DC_NA_1'
  return isCommand ? [iec104Cause.activation, iec104Cause.deactivation] : [iec104Cause.activation]
}

function carryOut(serving: Serving, asdu: Iec104Asdu): void {
  const { context, connection, outstation, timeUs, answer, send } = serving
  switch (asdu.type) {
    case 'C_IC_NA_1':
    case 'C_CI_NA_1': {
      const isAll = asdu.objects[0]?.qualifier === (asdu.type === 'C_IC_NA_1' ? 20 : 5)
      answer(iec104Cause.activationConfirmation, !isAll)
      if (!isAll) return
      const origin = { cause: iec104Cause.requestedByCounter, commonAddress: outstation.address }
      if (asdu.type === 'C_IC_NA_1') reportAll(serving, iec104Cause.interrogatedByStation, timeUs + spacingUs)
      else send(toTotals(readCounters(context.world, outstation), origin), spacingUs)
      answer(iec104Cause.activationTermination, false, 3 * spacingUs)
      return
    }
    case 'C_CS_NA_1': {
      // The confirmation has the time before the clock was set.
      const own = toCp56Time(readClockMs(context.world, outstation, timeUs))
      const cause = iec104Cause.activationConfirmation
      send({ ...asdu, commonAddress: outstation.address, cause, objects: [{ address: 0, time: own }] })
      const [object] = asdu.objects
      if (object !== undefined) setClock(context.world, outstation, fromCp56Time(object.time), timeUs)
      return
    }
    case 'C_RD_NA_1':
      for (const { address } of asdu.objects) {
        const value = readObject(context, outstation, address)
        if (value === undefined) answer(iec104Cause.unknownObjectAddress, true)
        else send(value)
      }
      return
    case 'C_SC_NA_1':
    case 'C_DC_NA_1':
      watchWriter(context, outstation, connection, `IEC 104 ${asdu.type}`)
      obey(serving, asdu)
      return
    default:
      answer(iec104Cause.activationConfirmation)
  }
}

/** The object of the last scan at an address, as a read asks for it. */
function readObject({ world }: Pick<StepScene, 'world'>, outstation: Outstation, address: number) {
  const sample = world.samples[outstation.node]
  const origin = { cause: iec104Cause.request, commonAddress: outstation.address }
  const isOn = sample?.closed[address - objectAddress.state]
  if (isOn !== undefined) return toAsdu({ type: 'M_SP_NA_1', objects: [{ address, isOn, quality: 0 }], ...origin })
  const value = sample?.values[address - objectAddress.measurement]
  if (value !== undefined) return toAsdu({ type: 'M_ME_NC_1', objects: [{ address, value, quality: 0 }], ...origin })
  const count = readCounters(world, outstation)[address - objectAddress.counter]
  if (count === undefined) return undefined
  return toAsdu({ type: 'M_IT_NA_1', objects: [{ address, count, sequence: 0, quality: 0 }], ...origin })
}

/** A single or a double command to a breaker. */
type SwitchingCommand = Iec104Asdu & { readonly type: 'C_SC_NA_1' | 'C_DC_NA_1' }

/** Selects, cancels or executes (IEC 60870-5-5 clause 6.8): an execution repeats the selection in time and ends it. */
function obey({ context, connection, outstation, timeUs, answer }: Serving, asdu: SwitchingCommand): void {
  const { node, branches } = outstation
  const { address, closes, isSelect } = readCommand(asdu)
  const { dialogue } = connection
  const branch = branches[address - objectAddress.command]
  if (branch === undefined) {
    answer(iec104Cause.unknownObjectAddress, true)
    return
  }
  const value = `${address} ${asdu.type} ${closes}`
  const wasSelected = isSelected(dialogue.selected, value, timeUs)
  dialogue.selected = null
  if (asdu.cause === iec104Cause.deactivation) answer(iec104Cause.deactivationConfirmation, !wasSelected)
  else if (closes === undefined) answer(iec104Cause.activationConfirmation, true)
  else if (isSelect) {
    dialogue.selected = { value, untilUs: timeUs + selectUs }
    answer(iec104Cause.activationConfirmation)
  } else if (!wasSelected) answer(iec104Cause.activationConfirmation, true)
  else {
    answer(iec104Cause.activationConfirmation)
    const cause = `IEC 104 ${asdu.type} at ${node} IOA ${address}`
    operate(context, { branch, closed: closes, cause, timeUs })
    answer(iec104Cause.activationTermination, false, spacingUs)
  }
}

/** The parts of a command; `closes` is undefined for a double command that is neither on nor off. */
function readCommand(asdu: SwitchingCommand) {
  const { address = 0, select: isSelect = false } = asdu.objects[0] ?? {}
  if (asdu.type === 'C_SC_NA_1') return { address, closes: asdu.objects[0]?.isOn, isSelect }
  const state = asdu.objects[0]?.state
  return { address, closes: state === 2 ? true : state === 1 ? false : undefined, isSelect }
}

/** Reports a breaker that moved to every master, at once and with the time of the outstation's clock. */
export function report(context: Server, outstation: Outstation, branch: number, timeUs: number): void {
  const address = objectAddress.state + outstation.branches.indexOf(branch)
  const time = stamp(context, outstation, timeUs)
  const objects = [{ address, isOn: isClosed(context, branch), quality: 0, time }]
  tellMasters(context, outstation, toAsdu({ type: 'M_SP_TB_1', objects, ...spontaneous(outstation) }), timeUs + 5_000)
}

/** Reports the values that have left their dead band to every master, with the time at which they were measured. */
export function reportChanges(context: Server & Pick<StepScene, 'startUs' | 'random'>, outstation: Outstation): void {
  const time = stamp(context, outstation, context.startUs)
  const objects = takeChanges(context, outstation).map(({ index, value }) => ({
    address: objectAddress.measurement + index,
    value,
    quality: 0,
    time,
  }))
  if (objects.length === 0) return
  const timeUs = context.startUs + answerDelayUs(context)
  for (let from = 0; from < objects.length; from += mostTimed) {
    const some = objects.slice(from, from + mostTimed)
    const event = toAsdu({ type: 'M_ME_TF_1', objects: some, ...spontaneous(outstation) })
    tellMasters(context, outstation, event, timeUs + from)
  }
}

function stamp({ world }: Pick<StepScene, 'world'>, outstation: Outstation, timeUs: number): Cp56Time {
  const isInvalid = needsTime(world, outstation, timeUs)
  return { ...toCp56Time(readClockMs(world, outstation, timeUs)), isInvalid }
}

function spontaneous({ address: commonAddress }: Outstation): Origin {
  return { cause: iec104Cause.spontaneous, commonAddress }
}

function tellMasters(context: Server, outstation: Outstation, asdu: Iec104Asdu, timeUs: number): void {
  for (const connection of listMasters(context, outstation, 'IEC104'))
    putAsdu(context, connection, 'server', asdu, timeUs)
}
