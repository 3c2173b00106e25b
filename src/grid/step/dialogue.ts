/** The state that both ends of a TCP connection share, by the protocol that they speak. */

import type { Dnp3Sequence } from '../protocols/dnp3-association.ts'
import type { Iec104Link, Iec104Wait } from '../protocols/iec104-link.ts'

/** The state of a Modbus connection. */
export interface ModbusDialogue {
  readonly protocol: 'Modbus'
  transaction: number
  /** The answer that the control centre waits for. */
  asked: 'states' | 'measurements' | 'write' | null
}

/** The state of a DNP3 connection. */
export interface Dnp3Dialogue {
  readonly protocol: 'DNP3'
  master: Dnp3Sequence
  outstation: Dnp3Sequence
  /** The point that was selected last; null once it was operated. */
  selected: number | null
}

/** The state of an IEC 104 connection. */
export interface Iec104Dialogue {
  readonly protocol: 'IEC104'
  client: Iec104Link
  server: Iec104Link
  /** Microseconds at which the client last sent something. */
  lastUs: number
  /** The wait of each end at the last scan; absent for one that waited for nothing. */
  waits?: { readonly client?: Iec104Wait | undefined; readonly server?: Iec104Wait | undefined }
}

/** The state of a synchrophasor connection: none. */
export interface PhasorDialogue {
  readonly protocol: 'C37.118'
}

/** The state of a connection, told apart by its protocol. */
export type Dialogue = ModbusDialogue | Dnp3Dialogue | Iec104Dialogue | PhasorDialogue
