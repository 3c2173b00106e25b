/** Answers as text for people, in protobuf's text format. */

import { toText } from '@bufbuild/protobuf/txtpb'
import type { RateLimitResponse } from '#ratelimit/types.ts'
import { RateLimitResponseSchema } from './gen/ratelimit_pb.ts'
import { toResponseMessage } from './ratelimit-v3.ts'

/** Writes an answer on one line, as the reference's client: `overall_code:OK statuses:{code:OK ...}`. */
export function showResponse(response: RateLimitResponse): string {
  // The library writes a field a line; line feeds inside strings are escaped, so lines can be joined safely.
  const lines = toText(RateLimitResponseSchema, toResponseMessage(response)).trim().split('\n')
  const fields = lines.map((line) => line.trim().replace(': ', ':'))
  return fields.reduce(
    (text, field) => text + (text.endsWith('{') || field === '}' || text === '' ? '' : ' ') + field,
    '',
  )
}
