/** Checks of the ids and the numbers that calls of local streams give, with the texts of the network's extension. */

import { type Decimal, parseDecimal, powerOfTen, rescaleDecimal } from '../../base/decimal.ts'
import { encodeUtf8 } from '../../base/utf8.ts'
import { DevnodeError } from '../errors.ts'
import { scale } from '../numeric.ts'
import { findStream, type Stream } from '../state/streams.ts'
import type { LocalStreams } from './ledger.ts'

/** An error for a call that is wrong. */
export function invalid(text: string): DevnodeError {
  return new DevnodeError('local_invalid', text)
}

/** Finds a stream; local_invalid when its id is malformed, or there is none. */
export function requireStream(local: LocalStreams, streamId: string): Stream {
  assertStreamId(streamId)
  const stream = findStream(local.store, local.operator, streamId)
  if (stream !== undefined) return stream
  throw invalid(`stream not found: ${streamId}`)
}

/**
 * Checks what the extension checks of an id: 32 bytes that begin with `st`. Its database holds no NUL. The text of the
 * error, local_invalid, begins with `subject`.
 */
export function assertStreamId(streamId: string, subject = ''): void {
  const { length } = encodeUtf8(streamId)
  if (length !== 32) throw invalid(`${subject}stream_id must be exactly 32 characters, got ${length}`)
  if (!streamId.startsWith('st')) throw invalid(`${subject}stream_id must start with 'st'`)
  if (/[\0\p{Surrogate}]/u.test(streamId)) throw invalid(`${subject}stream_id must be text without NUL`)
}

/** Reads a decimal; local_invalid with the text `refusal` when it is not one. */
export function parseLocalDecimal(text: string, refusal: string): Decimal {
  try {
    return parseDecimal(text)
  } catch {
    throw invalid(refusal)
  }
}

/** The reason why a decimal does not fit numeric(36,18), with the digits as they are written. */
export function findNumericFault(decimal: Decimal): string | undefined {
  if (decimal.scale > scale) return 'more than 18 decimal places'
  const magnitude = rescaleDecimal(decimal, scale)
  const limit = powerOfTen(2 * scale)
  return magnitude < limit && magnitude > -limit ? undefined : 'more than 18 integral digits'
}
