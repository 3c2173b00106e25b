/** Casts of the network's engine from text to numbers and truth values, with the words of its language's own parsers. */

import { quantizeDecimal } from '../../base/decimal.ts'
import { actionError, type DevnodeError } from '../errors.ts'

/** The characters of a text that an error repeats. */
const maxQuoted = 128

/** Casts text to an INT8; action_failed when it is not a whole number of 64 bits. */
export function castInteger(text: string): bigint {
  if (!/^[+-]?\d+$/.test(text)) throw parseError('ParseInt', text, 'invalid syntax')
  const digits = text.replace(/^\+/, '').replace(/^(-?)0+(?=\d)/, '$1')
  // A longer text has no value of 64 bits, and would take long to read.
  const value = digits.length > 20 ? undefined : BigInt(digits)
  if (value !== undefined && BigInt.asIntN(64, value) === value) return value
  throw parseError('ParseInt', text, 'value out of range')
}

const truths: ReadonlyMap<string, boolean> = new Map([
  ...['1', 't', 'T', 'TRUE', 'true', 'True'].map((text) => [text, true] as const),
  ...['0', 'f', 'F', 'FALSE', 'false', 'False'].map((text) => [text, false] as const),
])

/** Casts text to a BOOL; action_failed when it is none of the twelve spellings. */
export function castBoolean(text: string): boolean {
  const value = truths.get(text)
  if (value !== undefined) return value
  throw parseError('ParseBool', text, 'invalid syntax')
}

/** Casts text to a numeric scaled by 10^`scale`, rounding half away from zero; action_failed beyond its digits. */
export function castDecimal(text: string, precision: number, scale: number): bigint {
  // The first of the engine's two parsers takes "" and 1_000, the second does not.
  if (/^$|^[+-]?\d+(?:_\d+)+$/.test(text)) throw castError(`parse mantissa: ${text.slice(0, maxQuoted)}`)
  if (!/^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$|^[+-]?(?:inf|infinity|nan)$/i.test(text)) {
    const { message } = parseError('ParseFloat', text, 'invalid syntax')
    throw castError(`invalid decimal string: ${text.slice(0, maxQuoted)}, error: ${message.slice(prefix.length)}`)
  }
  try {
    return quantizeDecimal(text, precision, scale)
  } catch {
    throw castError('invalid operation')
  }
}

const prefix = 'type cast error: '

function parseError(parser: string, text: string, state: string): DevnodeError {
  return castError(`strconv.${parser}: parsing ${JSON.stringify(text.slice(0, maxQuoted))}: ${state}`)
}

function castError(state: string): DevnodeError {
  return actionError(`${prefix}${state}`)
}
