/** CP56Time2a, the binary time of IEC 60870-5-101, encoded and decoded (clause 7.2.6.18). */

import type { OctetReader } from '../link/octet-reader.ts'
import type { OctetWriter } from '../link/octet-writer.ts'

/** Seven-octet binary time, UTC by agreement of the stations (clause 7.2.6.18). */
export interface Cp56Time {
  /** Milliseconds of the minute, 0 to 59999. */
  readonly milliseconds: number
  readonly minute: number
  readonly hour: number
  readonly dayOfMonth: number
  /** 1 is Monday, 0 means not used. */
  readonly dayOfWeek: number
  readonly month: number
  /** Year of its century, 0 to 99: the receiver knows the century. */
  readonly year: number
  readonly isInvalid: boolean
  readonly isSummerTime: boolean
}

/** Converts milliseconds since the Unix epoch to binary time, UTC. */
export function toCp56Time(timeMs: number): Cp56Time {
  const date = new Date(timeMs)
  return {
    milliseconds: date.getUTCSeconds() * 1000 + date.getUTCMilliseconds(),
    minute: date.getUTCMinutes(),
    hour: date.getUTCHours(),
    dayOfMonth: date.getUTCDate(),
    dayOfWeek: date.getUTCDay() === 0 ? 7 : date.getUTCDay(),
    month: date.getUTCMonth() + 1,
    year: date.getUTCFullYear() % 100,
    isInvalid: false,
    isSummerTime: false,
  }
}

/** Converts binary time of the century that began in 2000 to milliseconds since the Unix epoch, UTC. */
export function fromCp56Time({ year, month, dayOfMonth, hour, minute, milliseconds }: Cp56Time): number {
  return Date.UTC(2000 + year, month - 1, dayOfMonth, hour, minute, 0, milliseconds)
}

/** Appends the seven octets of a time, as `encodeIec104` draws them. */
export function putTime(writer: OctetWriter, time: Cp56Time): void {
  writer
    .u16le(time.milliseconds, 'milliseconds')
    .u8((time.isInvalid ? 0x80 : 0) | time.minute, 'minute')
    .u8((time.isSummerTime ? 0x80 : 0) | time.hour, 'hour')
    .u8((time.dayOfWeek << 5) | time.dayOfMonth, 'day')
    .u8(time.month, 'month')
    .u8(time.year, 'year')
}

/** Takes the seven octets of a time. Faults: `truncated`, `value`. */
export function takeTime(reader: OctetReader): Cp56Time {
  const milliseconds = reader.u16le('milliseconds')
  const minute = reader.u8('minute')
  const hour = reader.u8('hour')
  const day = reader.u8('day')
  const month = reader.u8('month')
  const year = reader.u8('year')
  // With the reserved bits, which make both numbers too large.
  const isLate = (minute & 0x7f) > 59 || (hour & 0x7f) > 23
  if (isLate || month > 12 || year > 99 || milliseconds > 59_999) {
    reader.fail('value', 'CP56Time2a', 'time is out of range')
  }
  return {
    milliseconds,
    minute: minute & 0x3f,
    hour: hour & 0x1f,
    dayOfMonth: day & 0x1f,
    dayOfWeek: day >>> 5,
    month,
    year,
    isInvalid: (minute & 0x80) !== 0,
    isSummerTime: (hour & 0x80) !== 0,
  }
}
