/** Cuts and cleans text for syslog messages. */

import { encodeUtf8, writeUtf8 } from '../../base/utf8.ts'

/** Most characters of one value; what outside simulators send may be longer. */
const valueCharacters = 256

/** Replaces control characters, which could end a line in a collector's file, by a blank. */
export function onOneLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
}

/** Puts a value on one line and cuts it to 256 characters, without a half of one at the end. */
export function clip(value: string): string {
  return onOneLine(value)
    .slice(0, valueCharacters)
    .replace(/[\ud800-\udbff]$/, '')
}

/** Keeps printable ASCII, at most `length` characters of it; `-`, which means none, when none is left. */
export function toPrintable(text: string, length: number): string {
  return text.replace(/[^!-~]/g, '').slice(0, length) || '-'
}

/** Counts the octets of a text as UTF-8. */
export function countOctets(text: string): number {
  return encodeUtf8(text).length
}

/** Appends parts to a text as long as the whole fits into so many octets of UTF-8. */
export function appendFitting(text: string, parts: readonly string[], octets: number): string {
  let longest = text
  for (const part of parts) {
    if (countOctets(longest + part) > octets) break
    longest += part
  }
  return longest
}

/** Encodes the first characters of a text, as many as fit into so many octets of UTF-8. */
export function cutTo(text: string, octets: number): Uint8Array {
  const whole = encodeUtf8(text)
  if (whole.length <= octets) return whole
  const target = new Uint8Array(Math.max(0, octets))
  return target.subarray(0, writeUtf8(text, target))
}
