/** Reports of an IEC 104 outstation: all states and measurements of a scan, breakers that moved, values that changed. */

import { type Iec104Asdu, iec104Cause } from '../../protocols/iec104-asdu.ts'
import { type Cp56Time, toCp56Time } from '../../protocols/iec104-time.ts'
import { type Outstation, objectAddress } from '../../telecontrol/telecontrol.ts'
import type { Iec104Dialogue } from '../dialogue.ts'
import { takeChanges } from '../samples.ts'
import type { Outgoing, StepScene } from '../step-context.ts'
import { putAsdu, spacingUs, toAsdu } from './iec104-dialogue.ts'
import { needsTime, readClockMs } from './outstation-state.ts'
import { answerDelayUs } from './polling.ts'
import { listMasters, type Session } from './session.ts'
import { isClosed } from './switching.ts'

/** Most values with a time in one ASDU of 249 octets. */
const mostTimed = 16

/** The parts of a step that a report needs. */
type Reporter = Pick<StepScene, 'world'> & Pick<Outgoing, 'queue'>

/** Reports every state and measurement of the last scan, with the cause that the reports carry. */
export function reportAll(session: Session<Iec104Dialogue, Reporter>, cause: number, timeUs: number): void {
  const { context, outstation } = session
  const sample = context.world.samples[outstation.node]
  if (sample === undefined) return
  const { closed, values } = sample
  const origin = { cause, commonAddress: outstation.address }
  if (closed.length > 0) {
    const objects = closed.map((isOn, index) => ({ address: objectAddress.state + index, isOn, quality: 0 }))
    putAsdu(session, 'server', toAsdu({ type: 'M_SP_NA_1', objects, ...origin }), { timeUs })
  }
  const objects = values.map((value, index) => ({ address: objectAddress.measurement + index, value, quality: 0 }))
  putAsdu(session, 'server', toAsdu({ type: 'M_ME_NC_1', objects, ...origin }), { timeUs: timeUs + spacingUs })
}

/** Reports a breaker that moved to every master, at once and with the time of the outstation's clock. */
export function report(context: Reporter, outstation: Outstation, branch: number, timeUs: number): void {
  const address = objectAddress.state + outstation.branches.indexOf(branch)
  const time = stamp(context, outstation, timeUs)
  const objects = [{ address, isOn: isClosed(context, branch), quality: 0, time }]
  tellMasters(context, outstation, toAsdu({ type: 'M_SP_TB_1', objects, ...spontaneous(outstation) }), timeUs + 5_000)
}

/** Reports the values that have left their dead band to every master, with the time at which they were measured. */
export function reportChanges(context: Reporter & Pick<StepScene, 'startUs' | 'random'>, outstation: Outstation): void {
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

function spontaneous({ address: commonAddress }: Outstation): Pick<Iec104Asdu, 'cause' | 'commonAddress'> {
  return { cause: iec104Cause.spontaneous, commonAddress }
}

function tellMasters(context: Reporter, outstation: Outstation, asdu: Iec104Asdu, timeUs: number): void {
  for (const connection of listMasters(context, outstation, 'IEC104')) {
    putAsdu({ context, connection }, 'server', asdu, { timeUs })
  }
}
