/** The IEC 104 outstation as a server: it answers interrogations and reads, keeps its clock and obeys commands. */

import type { ControlCentre } from '../../control-centre/context.ts'
import { watchWriter } from '../../control-centre/link-monitor.ts'
import { type Iec104Asdu, type Iec104TypeName, iec104Broadcast, iec104Cause } from '../../protocols/iec104-asdu.ts'
import { fromCp56Time, toCp56Time } from '../../protocols/iec104-time.ts'
import { objectAddress } from '../../telecontrol/telecontrol.ts'
import type { Iec104Dialogue } from '../dialogue.ts'
import type { Outgoing } from '../step-context.ts'
import { putAsdu, spacingUs, toAsdu } from './iec104-dialogue.ts'
import { reportAll } from './iec104-reports.ts'
import { readClockMs, readCounters, setClock } from './outstation-state.ts'
import type { Session } from './session.ts'
import { isSelected, operate, type Switchgear, selectUs } from './switching.ts'

/** The parts of a step that the outstation touches. */
type Server = Switchgear & Pick<Outgoing, 'queue'> & ControlCentre

/** A request that is being served. */
interface Serving extends Session<Iec104Dialogue, Server> {
  readonly timeUs: number
  /** Repeats the request with a cause. */
  readonly confirm: (cause: number, delayUs?: number) => void
  /** Repeats the request with a cause, as a refusal. */
  readonly refuse: (cause: number) => void
  readonly send: (asdu: Iec104Asdu, delayUs?: number) => void
}

/** The types that may go to all stations at once. */
const broadcastTypes: ReadonlySet<Iec104TypeName> = new Set(['C_IC_NA_1', 'C_CI_NA_1', 'C_CS_NA_1'])

/** Serves a request; refusals repeat it with the cause that says why (IEC 60870-5-101 clause 7.2.3). */
export function serve(session: Session<Iec104Dialogue, Server>, asdu: Iec104Asdu, timeUs: number): void {
  const { address } = session.outstation
  const isBroadcast = asdu.commonAddress === iec104Broadcast && broadcastTypes.has(asdu.type)
  // The confirmation of a broadcast comes from one station, and names it.
  const commonAddress = isBroadcast ? address : asdu.commonAddress
  const send = (answer: Iec104Asdu, delayUs = 0) => putAsdu(session, 'server', answer, { timeUs: timeUs + delayUs })
  const confirm = (cause: number, delayUs = 0) => send({ ...asdu, commonAddress, cause, isNegative: false }, delayUs)
  const refuse = (cause: number) => send({ ...asdu, commonAddress, cause, isNegative: true })
  if (commonAddress !== address) refuse(iec104Cause.unknownCommonAddress)
  else if (!isServed(asdu.type)) refuse(iec104Cause.unknownType)
  else if (!listCauses(asdu.type).includes(asdu.cause)) refuse(iec104Cause.unknownCause)
  else carryOut({ ...session, timeUs, confirm, refuse, send }, asdu)
}

function isServed(type: Iec104TypeName): boolean {
  return type.startsWith('C_') && type !== 'C_SE_NC_1'
}

function listCauses(type: Iec104TypeName): readonly number[] {
  if (type === 'C_RD_NA_1') return [iec104Cause.request]
  const isCommand = type === 'C_SC_NA_1' || type === 'C_DC_NA_1'
  return isCommand ? [iec104Cause.activation, iec104Cause.deactivation] : [iec104Cause.activation]
}

type OfType<Type extends Iec104TypeName> = Iec104Asdu & { readonly type: Type }

function carryOut(serving: Serving, asdu: Iec104Asdu): void {
  const { context, connection, outstation } = serving
  switch (asdu.type) {
    case 'C_IC_NA_1':
    case 'C_CI_NA_1':
      interrogate(serving, asdu)
      return
    case 'C_CS_NA_1':
      synchronise(serving, asdu)
      return
    case 'C_RD_NA_1':
      for (const { address } of asdu.objects) read(serving, address)
      return
    case 'C_SC_NA_1':
    case 'C_DC_NA_1':
      watchWriter(context, outstation, connection, `IEC 104 ${asdu.type}`)
      obey(serving, asdu)
      return
    default:
      serving.confirm(iec104Cause.activationConfirmation)
  }
}

/** Answers an interrogation of the whole station, or of all counters; parts of either are refused. */
function interrogate(serving: Serving, asdu: OfType<'C_IC_NA_1' | 'C_CI_NA_1'>): void {
  const isOfStation = asdu.type === 'C_IC_NA_1'
  if (asdu.objects[0]?.qualifier !== (isOfStation ? 20 : 5)) {
    serving.refuse(iec104Cause.activationConfirmation)
    return
  }
  serving.confirm(iec104Cause.activationConfirmation)
  if (isOfStation) reportAll(serving, iec104Cause.interrogatedByStation, serving.timeUs + spacingUs)
  else reportCounters(serving)
  serving.confirm(iec104Cause.activationTermination, 3 * spacingUs)
}

function reportCounters({ context, outstation, send }: Serving): void {
  const objects = readCounters(context.world, outstation).map((count, index) => {
    return { address: objectAddress.counter + index, count, sequence: 0, quality: 0 }
  })
  const origin = { cause: iec104Cause.requestedByCounter, commonAddress: outstation.address }
  send(toAsdu({ type: 'M_IT_NA_1', objects, ...origin }), spacingUs)
}

/** Sets the clock; the confirmation has the time before that. */
function synchronise({ context, outstation, timeUs, send }: Serving, asdu: OfType<'C_CS_NA_1'>): void {
  const before = toCp56Time(readClockMs(context.world, outstation, timeUs))
  const cause = iec104Cause.activationConfirmation
  send({ ...asdu, commonAddress: outstation.address, cause, objects: [{ address: 0, time: before }] })
  const [object] = asdu.objects
  if (object !== undefined) setClock(context.world, outstation, fromCp56Time(object.time), timeUs)
}

/** Answers a read with the object of the last scan at an address. */
function read({ context: { world }, outstation, send, refuse }: Serving, address: number): void {
  const sample = world.samples[outstation.node]
  const origin = { cause: iec104Cause.request, commonAddress: outstation.address }
  const isOn = sample?.closed[address - objectAddress.state]
  const value = sample?.values[address - objectAddress.measurement]
  const count = readCounters(world, outstation)[address - objectAddress.counter]
  if (isOn !== undefined) send(toAsdu({ type: 'M_SP_NA_1', objects: [{ address, isOn, quality: 0 }], ...origin }))
  else if (value !== undefined) {
    send(toAsdu({ type: 'M_ME_NC_1', objects: [{ address, value, quality: 0 }], ...origin }))
  } else if (count !== undefined) {
    send(toAsdu({ type: 'M_IT_NA_1', objects: [{ address, count, sequence: 0, quality: 0 }], ...origin }))
  } else refuse(iec104Cause.unknownObjectAddress)
}

/** A single or a double command to a breaker. */
type SwitchingCommand = OfType<'C_SC_NA_1' | 'C_DC_NA_1'>

/** Selects, cancels or executes (IEC 60870-5-5 clause 6.8): an execution repeats the selection in time and ends it. */
function obey(serving: Serving, asdu: SwitchingCommand): void {
  const { connection, outstation, timeUs, confirm, refuse } = serving
  const { address, closes, isSelect } = readCommand(asdu)
  const { dialogue } = connection
  const branch = outstation.branches[address - objectAddress.command]
  if (branch === undefined) {
    refuse(iec104Cause.unknownObjectAddress)
    return
  }
  const value = `${address} ${asdu.type} ${closes}`
  const wasSelected = isSelected(dialogue.selected, value, timeUs)
  dialogue.selected = null
  if (asdu.cause === iec104Cause.deactivation) {
    const answer = wasSelected ? confirm : refuse
    answer(iec104Cause.deactivationConfirmation)
  } else if (closes === undefined || !(isSelect || wasSelected)) refuse(iec104Cause.activationConfirmation)
  else {
    if (isSelect) dialogue.selected = { value, untilUs: timeUs + selectUs }
    confirm(iec104Cause.activationConfirmation)
    if (isSelect) return
    const cause = `IEC 104 ${asdu.type} at ${outstation.node} IOA ${address}`
    operate(serving.context, { branch, closed: closes, cause, timeUs })
    confirm(iec104Cause.activationTermination, spacingUs)
  }
}

/** The parts of a command; `closes` is undefined for a double command that is neither on nor off. */
function readCommand(asdu: SwitchingCommand) {
  const { address = 0, select: isSelect = false } = asdu.objects[0] ?? {}
  if (asdu.type === 'C_SC_NA_1') return { address, closes: asdu.objects[0]?.isOn, isSelect }
  const state = asdu.objects[0]?.state
  return { address, closes: state === 2 ? true : state === 1 ? false : undefined, isSelect }
}
