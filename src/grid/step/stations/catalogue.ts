/** The stations of every protocol, a file and a row of this table each, and how messages and switchings reach them. */

import type { MessageProtocol } from '../../protocols/catalogue.ts'
import type { Message } from '../../telecontrol/message.ts'
import type { OutstationProtocol } from '../../telecontrol/telecontrol.ts'
import type { StepContext } from '../step-context.ts'
import { dnp3Station } from './dnp3.ts'
import { gooseStation } from './goose.ts'
import { iec104Station } from './iec104.ts'
import { mmsStation } from './mms.ts'
import { modbusStation } from './modbus.ts'
import { phasorStation } from './phasors.ts'
import { sampledValuesStation } from './sampled-values.ts'
import type { OutstationStation, Station } from './station.ts'

/** Outstations by the protocol that they speak. */
export const outstationStations = {
  Modbus: modbusStation,
  DNP3: dnp3Station,
  IEC104: iec104Station,
  MMS: mmsStation,
} as const satisfies Record<OutstationProtocol, OutstationStation>

/** All stations, in the order in which a step polls them: that order is part of what a session recomputes. */
export const stations: Readonly<Record<MessageProtocol, Station>> = {
  'C37.118': phasorStation,
  ...outstationStations,
  SV: sampledValuesStation,
  GOOSE: gooseStation,
}

/** Hands a message to its station, and lets outstations report the breakers that it moved. */
export function receiveMessage(context: StepContext, message: Message, payload: Uint8Array): void {
  stations[message.protocol].receive(context, message, payload)
  reportSwitching(context)
}

/** Lets outstations report breakers that moved, at once: a report takes its place on its connection by its time. */
export function reportSwitching(context: StepContext): void {
  for (const { branch, timeUs } of context.switched.splice(0)) {
    const outstation = context.plan.outstations.find(({ branches }) => branches.includes(branch))
    if (outstation === undefined) continue
    const station: OutstationStation = outstationStations[outstation.protocol]
    station.report?.(context, outstation, branch, timeUs)
  }
}
