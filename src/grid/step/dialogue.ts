/** The state that both ends of a TCP connection share, by the protocol that they speak. */

import type { Dnp3Sequence } from '../protocols/dnp3-association.ts'
import type { Dnp3Function } from '../protocols/dnp3-fragment.ts'
import type { Dnp3Point } from '../protocols/dnp3-points.ts'
import type { Iec104Link, Iec104Wait } from '../protocols/iec104-link.ts'

/** A command that a master has selected, as its execution must repeat it. */
export interface Selection {
  readonly value: string
  /** Microseconds since the Unix epoch. */
  readonly untilUs: number
}

/** The state of a Modbus connection. */
export interface ModbusDialogue {
  readonly protocol: 'Modbus'
  transaction: number
  /** The answer that the control centre waits for. */
  asked: 'states' | 'measurements' | 'write' | null
  /** The address from which the outstation last read registers or bits: its answer does not say it. */
  readFrom: number
}

/** The state of a DNP3 connection. */
export interface Dnp3Dialogue {
  readonly protocol: 'DNP3'
  master: Dnp3Sequence
  outstation: Dnp3Sequence
  /** The controls that were selected last; null once they were operated. */
  selected: Selection | null
  /** Segments of a fragment of the master that is not whole yet, in hexadecimal. */
  partial: string
  /** Events that the master has not confirmed, the oldest first. */
  events: readonly Dnp3Event[]
  /** True when older events than these were lost. */
  isOverflown: boolean
  /** True when a request went to all stations, and no response has told that yet. */
  isBroadcast: boolean
  /** Classes of events that the outstation reports by itself. */
  unsolicited: readonly number[]
  /** The response with events whose confirmation is missing. */
  unconfirmed: Dnp3Unconfirmed | null
  /** Microseconds at which the last request to record the time came; null before. */
  recordedUs: number | null
  /** Requests with which the control centre begins, the next one first, and what it asked last. */
  startup: readonly Dnp3Function[]
  asked: Dnp3Asked
}

/** The request of the control centre that is without an answer. */
export type Dnp3Asked = 'poll' | 'restart' | 'delay' | 'time' | null

/** A response with events whose confirmation is missing. */
export interface Dnp3Unconfirmed {
  readonly sequence: number
  readonly isUnsolicited: boolean
  /** Number of the oldest events that it carries of `classes`. */
  readonly count: number
  readonly classes: readonly number[]
  readonly sentUs: number
}

/** A change that an outstation remembers until a master has confirmed it. */
export type Dnp3Event = { readonly eventClass: 1 | 2 } & (
  | { readonly kind: 'binary_input_event'; readonly point: Dnp3Point<'binary_input_event'> }
  | { readonly kind: 'analog_input_event'; readonly point: Dnp3Point<'analog_input_event'> }
)

/** The state of an IEC 104 connection. */
export interface Iec104Dialogue {
  readonly protocol: 'IEC104'
  client: Iec104Link
  server: Iec104Link
  /** Microseconds at which the client last sent something. */
  lastUs: number
  /** The command that was selected last; null once it was executed. */
  selected: Selection | null
  /** Microseconds at which the client last set the outstation's clock; null before. */
  clockSetUs: number | null
  /** The wait of each end at the last scan; absent for one that waited for nothing. */
  waits?: { readonly client?: Iec104Wait | undefined; readonly server?: Iec104Wait | undefined }
}

/** The state of an MMS association. */
export interface MmsDialogue {
  readonly protocol: 'MMS'
  /** The phase of the association: `open` once MMS was initiated. */
  phase: 'connecting' | 'associating' | 'open'
  /** Identifier of the client's last request, and of the read that the control centre waits for. */
  invokeId: number
  asked: number | null
  /** True while the server reports changes to this client, and the number of the next report. */
  isReporting: boolean
  reportNumber: number
  /** The control that was selected last; null once it was operated. */
  selected: Selection | null
  /** Number of the control that the control centre operates; null once it has ended. */
  operating: number | null
}

/** The state of a synchrophasor connection. */
export interface PhasorDialogue {
  readonly protocol: 'C37.118'
  /** True while the client wants data. */
  isSending?: boolean
}

/** The state of a connection, told apart by its protocol. */
export type Dialogue = ModbusDialogue | Dnp3Dialogue | Iec104Dialogue | MmsDialogue | PhasorDialogue

/** The state of a connection of one protocol. */
export type DialogueOf<Protocol extends Dialogue['protocol']> = Extract<Dialogue, { readonly protocol: Protocol }>
