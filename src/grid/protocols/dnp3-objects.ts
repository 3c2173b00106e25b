/** DNP3 objects that telecontrol uses: points, controls and times, with their flags and codes. */

/** Flag octet of points (IEEE 1815 clause 11.6): bit 7 is the state of a binary. */
export const dnp3Flag = {
  online: 0x01,
  restart: 0x02,
  communicationLost: 0x04,
  remoteForced: 0x08,
  localForced: 0x10,
  state: 0x80,
} as const

/** Control codes of a control relay output block (clause A.8.1): operation in bits 0 to 3, trip or close in 6 and 7. */
export const dnp3ControlCode = {
  pulseOn: 0x01,
  latchOn: 0x03,
  latchOff: 0x04,
  close: 0x41,
  trip: 0x81,
} as const

/** Status octet that answers a control (clause A.8.1). */
export const dnp3ControlStatus = {
  success: 0,
  timeout: 1,
  noSelect: 2,
  formatError: 3,
  notSupported: 4,
  alreadyActive: 5,
  hardwareError: 6,
  local: 7,
  tooManyObjects: 8,
  notAuthorized: 9,
} as const

/** The way in which a header names points: a range in one or two octets, or an index before each point in one or two octets. */
export type Dnp3PointQualifier = 'range8' | 'range16' | 'index8' | 'index16'

/** A binary with its flag octet; bit 7 of `flags` is the state. */
export interface Dnp3Binary {
  readonly index: number
  readonly flags: number
}

/** An event: `time` in milliseconds since the Unix epoch, UTC. */
export interface Dnp3BinaryEvent extends Dnp3Binary {
  readonly time: number
}

/** An analogue as a 32-bit float with its flag octet. */
export interface Dnp3Analog {
  readonly index: number
  readonly flags: number
  readonly value: number
}

/** An analogue event: `time` in milliseconds since the Unix epoch, UTC. */
export interface Dnp3AnalogEvent extends Dnp3Analog {
  readonly time: number
}

/** A control relay output block; times in milliseconds. */
export interface Dnp3Control {
  readonly index: number
  readonly code: number
  readonly count: number
  readonly onTimeMs: number
  readonly offTimeMs: number
  readonly status: number
}

/** One object header and what follows it. */
export type Dnp3Object =
  /** All points of a group, qualifier 06: class polls (g60), or any group and variation. */
  | { readonly kind: 'all'; readonly group: number; readonly variation: number }
  /** A range of points without their values, as a read asks for them. */
  | {
      readonly kind: 'range'
      readonly group: number
      readonly variation: number
      readonly qualifier: 'range8' | 'range16'
      readonly start: number
      readonly stop: number
    }
  /** g1v2 */
  | {
      readonly kind: 'binary_input'
      readonly qualifier: Dnp3PointQualifier
      readonly points: readonly Dnp3Binary[]
    }
  /** g2v2 */
  | {
      readonly kind: 'binary_input_event'
      readonly qualifier: Dnp3PointQualifier
      readonly points: readonly Dnp3BinaryEvent[]
    }
  /** g12v1 */
  | {
      readonly kind: 'control'
      readonly qualifier: Dnp3PointQualifier
      readonly points: readonly Dnp3Control[]
    }
  /** g30v5 */
  | {
      readonly kind: 'analog_input'
      readonly qualifier: Dnp3PointQualifier
      readonly points: readonly Dnp3Analog[]
    }
  /** g32v7 */
  | {
      readonly kind: 'analog_input_event'
      readonly qualifier: Dnp3PointQualifier
      readonly points: readonly Dnp3AnalogEvent[]
    }
  /** g50v1, qualifier 07: milliseconds since the Unix epoch */
  | { readonly kind: 'time'; readonly time: number }
  /** g52v2, qualifier 07: milliseconds */
  | { readonly kind: 'time_delay'; readonly delayMs: number }
  /** g80v1, qualifier 00, one bit: the master clears an indication, usually 7, device restart */
  | { readonly kind: 'internal_indication'; readonly index: number; readonly isSet: boolean }
