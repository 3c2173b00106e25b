/** The stations of every protocol: a protocol is one file here and one row of this table. */

import type { MessageProtocol } from '../../protocols/catalogue.ts'
import type { OutstationProtocol } from '../../telecontrol/telecontrol.ts'
import { dnp3Station } from './dnp3.ts'
import { gooseStation } from './goose.ts'
import { iec104Station } from './iec104.ts'
import { mmsStation } from './mms.ts'
import { modbusStation } from './modbus.ts'
import { phasorStation } from './phasors.ts'
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
  GOOSE: gooseStation,
}
