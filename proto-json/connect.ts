/** Connect's unary protocol: the bare message as the body, errors as JSON with an HTTP status. */

import { ProtoJsonError } from './errors.ts'
import { answerHeaders } from './grpc-web/cors.ts'
import type { Dialect } from './grpc-web/dialect.ts'
import { statusTable } from './grpc-web/status.ts'

/** Connect over POST, in JSON or protobuf (Connect protocol, "Unary-Request" and "Unary-Response"). */
export const connect: Dialect = {
  readMessage(body, maxBytes) {
    if (body.length <= maxBytes) return body
    throw new ProtoJsonError(
      'message_too_large',
      `Cannot read message: it is ${body.length} bytes long, expected at most ${maxBytes}`,
    )
  },
  answer: (message, { media }) =>
    new Response(message, { headers: { ...answerHeaders, 'content-type': media.answer } }),
  fail: ({ code, message }) =>
    Response.json(
      { code: statusTable[code].connect, ...(message === '' ? {} : { message }) },
      { status: statusTable[code].connectHttp, headers: answerHeaders },
    ),
}
