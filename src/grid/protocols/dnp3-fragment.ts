/** The application layer of DNP3: fragments with their control octet, function, indications and objects. */

import { namedBits, namesByCode } from '../link/codec.ts'
import { type Decoded, readOctets } from '../link/octet-reader.ts'
import { writeOctets } from '../link/octet-writer.ts'
import { type Dnp3Object, putObject, takeObject } from './dnp3-objects.ts'

/** Application function codes (IEEE 1815 clause 4.2.2.5). */
export const dnp3Function = {
  confirm: 0,
  read: 1,
  write: 2,
  select: 3,
  operate: 4,
  direct_operate: 5,
  direct_operate_no_ack: 6,
  cold_restart: 13,
  warm_restart: 14,
  enable_unsolicited: 20,
  disable_unsolicited: 21,
  delay_measure: 23,
  record_current_time: 24,
  response: 129,
  unsolicited_response: 130,
} as const

/** The name of an application function. */
export type Dnp3Function = keyof typeof dnp3Function

/** Internal indications as one mask: IIN1 in the low octet, which is sent first (clause 4.2.2.6). */
export const dnp3Indication = {
  broadcast: 0x0001,
  class1Events: 0x0002,
  class2Events: 0x0004,
  needTime: 0x0010,
  deviceRestart: 0x0080,
  noFunctionCodeSupport: 0x0100,
  objectUnknown: 0x0200,
  parameterError: 0x0400,
  eventBufferOverflow: 0x0800,
} as const

/** The application control octet (clause 4.2.2.4). */
export interface Dnp3ApplicationControl {
  readonly isFirst: boolean
  readonly isFinal: boolean
  /** True when a confirm is asked for. */
  readonly confirm: boolean
  readonly unsolicited: boolean
  /** 0 to 15. Unsolicited responses count on their own. */
  readonly sequence: number
}

/** One application fragment. */
export interface Dnp3Fragment {
  readonly control: Dnp3ApplicationControl
  readonly functionCode: Dnp3Function
  /** Internal indications, present exactly in responses. */
  readonly indications?: number
  readonly objects: readonly Dnp3Object[]
}

const controlBits = namedBits({ isFirst: 0x80, isFinal: 0x40, confirm: 0x20, unsolicited: 0x10 })

/** Makes the control octet of a fragment that is not divided: solicited and without a confirm, unless it is marked. */
export function wholeFragment(
  sequence: number,
  marks: Partial<Pick<Dnp3ApplicationControl, 'confirm' | 'unsolicited'>> = {},
): Dnp3ApplicationControl {
  return { isFirst: true, isFinal: true, confirm: false, unsolicited: false, ...marks, sequence }
}

/**
 * Encodes one application fragment.
 *
 * ```
 * 0   1       application control: FIR 80, FIN 40, CON 20, UNS 10, sequence in the low nibble
 * 1   1       function code
 * 2   2       only in responses: internal indications, IIN1 first
 * .   .       objects, see `putObject`
 * ```
 *
 * Source: IEEE 1815 clause 4.2.2.
 *
 * @throws GridError malformed_frame when a value does not fit.
 */
export function encodeDnp3Fragment(fragment: Dnp3Fragment): Uint8Array {
  const { control } = fragment
  const writer = writeOctets('DNP3 fragment')
    .u8(controlBits.join(control) | (control.sequence & 0x0f), 'application control')
    .u8(dnp3Function[fragment.functionCode], 'function code')
  if (isResponse(fragment.functionCode)) writer.u16le(fragment.indications ?? 0, 'internal indications')
  for (const object of fragment.objects) putObject(writer, object)
  return writer.done()
}

/** Decodes one application fragment. Faults: `truncated`, `unsupported`, `length`, `value`. */
export function decodeDnp3Fragment(bytes: Uint8Array): Decoded<Dnp3Fragment> {
  const reader = readOctets(bytes, 'DNP3 fragment')
  const octet = reader.u8('application control')
  const code = reader.u8('function code')
  const functionCode = functionNames.get(code)
  if (functionCode === undefined) {
    reader.fail('unsupported', 'function code', `function code ${code} is not one that we read`, 1)
    return reader.refuse()
  }
  const indications = isResponse(functionCode) ? reader.u16le('internal indications') : undefined
  const objects: Dnp3Object[] = []
  while (reader.remaining() > 0 && !reader.failed()) {
    const object = takeObject(reader, headersOnly.has(functionCode))
    if (object !== undefined) objects.push(object)
  }
  const control = { ...controlBits.split(octet), sequence: octet & 0x0f }
  return reader.finish({ control, functionCode, ...(indications === undefined ? {} : { indications }), objects })
}

function isResponse(functionCode: Dnp3Function): boolean {
  return functionCode === 'response' || functionCode === 'unsolicited_response'
}

/** Functions whose objects name points without values (clause 4.2.2.5). */
const headersOnly: ReadonlySet<Dnp3Function> = new Set(['read', 'enable_unsolicited', 'disable_unsolicited'])

const functionNames = namesByCode(dnp3Function, (code) => code)
