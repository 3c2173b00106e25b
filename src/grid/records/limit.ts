/** `limit` of the contract: text read as Python's `int()` reads it, and records sliced as Python slices a list. */

import { GridError } from '../errors.ts'

/** Slices records as Python's `records[-limit:]` does: 0 gives all, a negative number all but the first ones. */
export function sliceLast<T>(records: readonly T[], limit: number): readonly T[] {
  if (limit === 0) return records
  return limit > 0 ? records.slice(-limit) : records.slice(Math.min(-limit, records.length))
}

/** Most digits that `int()` takes (the default of `sys.set_int_max_str_digits`). */
const maximumDigits = 4_300

/** The blanks that `int()` ignores at either end; `\s` would add the byte order mark and miss U+0085. */
const blanks = '[\\t-\\r \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]*'

const integer = new RegExp(`^${blanks}([+-]?\\p{Nd}+(?:_\\p{Nd}+)*)${blanks}$`, 'u')

/**
 * Reads a `limit` as Python's `int()` reads text: blanks, a sign, digits of any script, single underscores; infinite
 * beyond a double.
 *
 * @throws GridError invalid_limit when the text is not an integer of at most 4,300 digits; the message is that of
 * Python's own exception, as the contract has it.
 */
export function parseLimit(text: string | undefined, fallback: number): number {
  if (text === undefined || text === '') return fallback
  const literal = integer.exec(text)?.[1]
  if (literal === undefined) {
    throw invalidLimit(`invalid literal for int() with base 10: ${quotePython(text)}`)
  }
  const digits = literal.replaceAll('_', '')
  const count = [...digits.replace(/^[+-]/, '')].length
  if (count > maximumDigits) {
    throw invalidLimit(
      `Exceeds the limit (${maximumDigits} digits) for integer string conversion: value has ${count} digits`,
    )
  }
  return Number(digits.replace(/\p{Nd}/gu, digitValue))
}

function invalidLimit(message: string): GridError {
  return new GridError('invalid_limit', message, {
    hint: 'limit is an integer: 0 for all retained records, n for the last n, -n for all but the first n',
  })
}

/** The value of a decimal digit: Unicode keeps the digits of a script together, in order from 0. */
function digitValue(digit: string): string {
  const point = digit.codePointAt(0) ?? 0
  let before = 0
  while (/\p{Nd}/u.test(String.fromCodePoint(point - before - 1))) before += 1
  return String(before % 10)
}

/** Most characters of the quoted text that `int()` repeats. */
const shownLength = 200

/** Text as Python's `repr()` writes it. */
function quotePython(text: string): string {
  const escaped = text
    .replaceAll('\\', '\\\\')
    .replaceAll('\n', '\\n')
    .replaceAll('\r', '\\r')
    .replaceAll('\t', '\\t')
    .replace(/[\p{C}\p{Z}]/gu, (character) => (character === ' ' ? ' ' : escapePython(character)))
  const isDouble = escaped.includes("'") && !escaped.includes('"')
  const quoted = isDouble ? `"${escaped}"` : `'${escaped.replaceAll("'", "\\'")}'`
  return [...quoted].slice(0, shownLength).join('')
}

function escapePython(character: string): string {
  const hex = (character.codePointAt(0) ?? 0).toString(16)
  if (hex.length <= 2) return `\\x${hex.padStart(2, '0')}`
  return hex.length <= 4 ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`
}
