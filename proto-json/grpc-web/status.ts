/** The sixteen gRPC error codes and OK: their numbers, their names in Connect, and their HTTP neighbours. */

import { encodeUtf8 } from '#base/utf8.ts'
import type { ProtoJsonErrorCode } from '../errors.ts'

/** gRPC status codes by name (gRPC `statuscodes.md`). */
export const statusCodes = {
  OK: 0,
  CANCELLED: 1,
  UNKNOWN: 2,
  INVALID_ARGUMENT: 3,
  DEADLINE_EXCEEDED: 4,
  NOT_FOUND: 5,
  ALREADY_EXISTS: 6,
  PERMISSION_DENIED: 7,
  RESOURCE_EXHAUSTED: 8,
  FAILED_PRECONDITION: 9,
  ABORTED: 10,
  OUT_OF_RANGE: 11,
  UNIMPLEMENTED: 12,
  INTERNAL: 13,
  UNAVAILABLE: 14,
  DATA_LOSS: 15,
  UNAUTHENTICATED: 16,
} as const

/** The name of a status code, such as `INVALID_ARGUMENT`. */
export type StatusName = keyof typeof statusCodes

/** The number of a status code, 0 to 16. */
export type StatusCode = (typeof statusCodes)[StatusName]

/** End of a call: its code and, unless it is OK, a sentence for the caller. */
export interface Status {
  readonly code: StatusCode
  readonly message: string
}

/** The status of a call that went well. */
export const ok: Status = { code: statusCodes.OK, message: '' }

/** Makes the row of a code: its names in gRPC and Connect, and its HTTP statuses in Connect and Envoy's bridge. */
const row = (name: StatusName, connect: string, connectHttp: number, bridgeHttp = 500) => ({
  name,
  connect,
  connectHttp,
  bridgeHttp,
})

/** One row per code, at the index of its number. */
export const statusTable: Readonly<Record<StatusCode, ReturnType<typeof row>>> = {
  0: row('OK', 'ok', 200, 200),
  1: row('CANCELLED', 'canceled', 499),
  2: row('UNKNOWN', 'unknown', 500),
  3: row('INVALID_ARGUMENT', 'invalid_argument', 400, 400),
  4: row('DEADLINE_EXCEEDED', 'deadline_exceeded', 504, 504),
  5: row('NOT_FOUND', 'not_found', 404),
  6: row('ALREADY_EXISTS', 'already_exists', 409),
  7: row('PERMISSION_DENIED', 'permission_denied', 403, 403),
  8: row('RESOURCE_EXHAUSTED', 'resource_exhausted', 429, 429),
  9: row('FAILED_PRECONDITION', 'failed_precondition', 400),
  10: row('ABORTED', 'aborted', 409),
  11: row('OUT_OF_RANGE', 'out_of_range', 400, 400),
  12: row('UNIMPLEMENTED', 'unimplemented', 501, 404),
  13: row('INTERNAL', 'internal', 500, 400),
  14: row('UNAVAILABLE', 'unavailable', 503, 503),
  15: row('DATA_LOSS', 'data_loss', 500),
  16: row('UNAUTHENTICATED', 'unauthenticated', 401, 401),
}

/** The gRPC status of every error of this folder. */
export const errorStatus = {
  malformed_json: statusCodes.INVALID_ARGUMENT,
  malformed_message: statusCodes.INVALID_ARGUMENT,
  message_too_large: statusCodes.RESOURCE_EXHAUSTED,
  compressed_message: statusCodes.UNIMPLEMENTED,
  unknown_method: statusCodes.UNIMPLEMENTED,
  unknown_service: statusCodes.NOT_FOUND,
  malformed_timeout: statusCodes.INVALID_ARGUMENT,
  deadline_exceeded: statusCodes.DEADLINE_EXCEEDED,
} satisfies Record<ProtoJsonErrorCode, StatusCode>

/** Reads the text of a `grpc-status`; anything but a known number is UNKNOWN. */
export function parseStatusCode(text: string): StatusCode {
  const code = /^\d{1,2}$/.test(text) ? Number(text) : statusCodes.UNKNOWN
  return isStatusCode(code) ? code : statusCodes.UNKNOWN
}

function isStatusCode(code: number): code is StatusCode {
  return code in statusTable
}

/** Finds the code of a call of which only the HTTP status is known (gRPC `http-grpc-status-mapping.md`). */
export function statusOfHttp(httpStatus: number): StatusCode {
  return httpStatusTable[httpStatus] ?? statusCodes.UNKNOWN
}

const httpStatusTable: Readonly<Record<number, StatusCode>> = {
  400: statusCodes.INTERNAL,
  401: statusCodes.UNAUTHENTICATED,
  403: statusCodes.PERMISSION_DENIED,
  404: statusCodes.UNIMPLEMENTED,
  429: statusCodes.UNAVAILABLE,
  502: statusCodes.UNAVAILABLE,
  503: statusCodes.UNAVAILABLE,
  504: statusCodes.UNAVAILABLE,
}

/** Writes a `grpc-message`: UTF-8 with `%` and every byte outside 0x20 to 0x7E as `%XX`. */
export function encodeStatusMessage(message: string): string {
  let text = ''
  for (const byte of encodeUtf8(message)) {
    const isPlain = byte >= 0x20 && byte <= 0x7e && byte !== 0x25
    text += isPlain ? String.fromCharCode(byte) : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
  }
  return text
}

/** Reads a `grpc-message`; a broken escape stays as it is written and broken UTF-8 becomes U+FFFD. */
export function decodeStatusMessage(text: string): string {
  if (!text.includes('%')) return text
  const bytes: number[] = []
  const source = encodeUtf8(text)
  for (let index = 0; index < source.length; index++) {
    const digits = String.fromCharCode(source[index + 1] ?? 0, source[index + 2] ?? 0)
    const isEscape = source[index] === 0x25 && /^[0-9a-fA-F]{2}$/.test(digits)
    bytes.push(isEscape ? Number.parseInt(digits, 16) : (source[index] ?? 0))
    if (isEscape) index += 2
  }
  return new TextDecoder().decode(new Uint8Array(bytes))
}
