/** The IEC 104 outstation: it reports in cycles and by itself, answers interrogations and obeys commands. */

import type { ControlCentre } from '../../control-centre/context.ts'
import { watchWriter } from '../../control-centre/link-monitor.ts'
import { type Iec104Asdu, iec104Cause } from '../../protocols/iec104-asdu.ts'
import { toCp56Time } from '../../protocols/iec104-time.ts'
import { type Outstation, objectAddress } from '../../telecontrol/telecontrol.ts'
import type { Outgoing, StepScene } from '../step-context.ts'
import type { Connection, Sample } from '../world.ts'
import { putAsdu, spacingUs, toAsdu } from './iec104-dialogue.ts'
import { connectionId } from './polling.ts'
import { isClosed, operate, type Switchgear } from './switching.ts'

/** The parts of a step that the outstation touches. */
type Server = Switchgear & Pick<Outgoing, 'queue'>

/** Reports every state and measurement of the last scan, with the cause that the reports carry. */
export function reportAll(
  context: Pick<StepScene, 'world'> & Pick<Outgoing, 'queue'>,
  connection: Connection,
  { node, address: commonAddress }: Outstation,
  cause: number,
  timeUs: number,
): void {
  const sample = context.world.samples[node]
  if (sample === undefined) return
  const origin = { cause, commonAddress }
  if (sample.closed.length > 0) {
    putAsdu(context, connection, 'server', toStates(sample, origin), timeUs)
  }
  putAsdu(context, connection, 'server', toMeasurements(sample, origin), timeUs + spacingUs)
}

/** Why an ASDU is sent, and by which station. */
type Origin = Pick<Iec104Asdu, 'cause' | 'commonAddress'>

function toStates({ closed }: Sample, origin: Origin): Iec104Asdu {
  const objects = closed.map((isOn, index) => ({ address: objectAddress.state + index, isOn, quality: 0 }))
  return toAsdu({ type: 'M_SP_NA_1', objects, ...origin })
}

function toMeasurements({ values }: Sample, origin: Origin): Iec104Asdu {
  const objects = values.map((value, index) => ({
    address: objectAddress.measurement + index,
    value,
    quality: 0,
  }))
  return toAsdu({ type: 'M_ME_NC_1', objects, ...origin })
}

/** Serves a command; refusals carry the cause that says why. */
export function serve(
  context: Server & ControlCentre,
  connection: Connection,
  outstation: Outstation,
  asdu: Iec104Asdu,
  timeUs: number,
): void {
  const answer: Answer = (cause, isNegative = false, delayUs = 0) =>
    putAsdu(context, connection, 'server', { ...asdu, cause, isNegative }, timeUs + delayUs)
  if (asdu.commonAddress !== outstation.address) {
    answer(iec104Cause.unknownCommonAddress, true)
  } else if (asdu.type === 'C_IC_NA_1') {
    answer(iec104Cause.activationConfirmation)
    reportAll(context, connection, outstation, iec104Cause.interrogatedByStation, timeUs + spacingUs)
    answer(iec104Cause.activationTermination, false, 3 * spacingUs)
  } else if (asdu.type !== 'C_SC_NA_1' && asdu.type !== 'C_DC_NA_1') {
    answer(iec104Cause.unknownType, true)
  } else {
    watchWriter(context, outstation, connection, `IEC 104 ${asdu.type}`)
    obey(context, outstation, asdu, { timeUs, answer })
  }
}

/** Repeats the command with a cause, as a refusal where `isNegative`; `delayUs` later than at once. */
type Answer = (cause: number, isNegative?: boolean, delayUs?: number) => void

/** A single or a double command to a breaker. */
type SwitchingCommand = Iec104Asdu & { readonly type: 'C_SC_NA_1' | 'C_DC_NA_1' }

/** Confirms a selection; confirms an execution, moves the breaker, and terminates. */
function obey(
  context: Switchgear,
  { node, branches }: Outstation,
  asdu: SwitchingCommand,
  { timeUs, answer }: { readonly timeUs: number; readonly answer: Answer },
): void {
  const { address, closes, isSelect } = readCommand(asdu)
  const branch = branches[address - objectAddress.command]
  if (branch === undefined) {
    answer(iec104Cause.unknownObjectAddress, true)
    return
  }
  answer(iec104Cause.activationConfirmation)
  if (isSelect) return
  operate(context, branch, closes, `IEC 104 ${asdu.type} at ${node} IOA ${address}`, timeUs)
  answer(iec104Cause.activationTermination, false, spacingUs)
}

function readCommand(asdu: SwitchingCommand): {
  readonly address: number
  readonly closes: boolean
  readonly isSelect: boolean
} {
  if (asdu.type === 'C_SC_NA_1') {
    const [object] = asdu.objects
    return {
      address: object?.address ?? 0,
      closes: object?.isOn ?? false,
      isSelect: object?.select ?? false,
    }
  }
  const [object] = asdu.objects
  return { address: object?.address ?? 0, closes: object?.state === 2, isSelect: object?.select ?? false }
}

/** Reports a breaker that moved, at once and with its time. */
export function report(context: Server, outstation: Outstation, branch: number, timeUs: number): void {
  const connection = context.world.connections[connectionId(outstation)]
  if (connection?.dialogue.protocol !== 'IEC104' || connection.flow.phase !== 'established') return
  const event = toAsdu({
    type: 'M_SP_TB_1',
    objects: [
      {
        address: objectAddress.state + outstation.branches.indexOf(branch),
        isOn: isClosed(context, branch),
        quality: 0,
        time: toCp56Time(Math.floor(timeUs / 1000)),
      },
    ],
    cause: iec104Cause.spontaneous,
    commonAddress: outstation.address,
  })
  putAsdu(context, connection, 'server', event, timeUs + 5_000)
}
