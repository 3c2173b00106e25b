/** Passes the gRPC-Web answer of the service to the client as it comes. */

import type { IncomingMessage } from 'node:http'
import {
  createFrameDecoder,
  decodeTrailers,
  ProtoJsonError,
  parseMediaType,
  type Status,
  statusCodes,
  statusOfHttp,
  statusOfTrailers,
  type Trailers,
} from '#proto-json/index.ts'
import { passMessage, type Reply } from './reply.ts'

/** Ends the call with a status, where the answer does not end with trailers that can be passed on. */
export type Fail = (status: Status) => void

/** Passes messages on as they come and the trailers at the end; `fail` is called once, with what went wrong. */
export function passAnswer(response: IncomingMessage, reply: Reply, maxMessageBytes: number, fail: Fail): void {
  const media = parseMediaType(response.headers['content-type'] ?? null)
  if (response.statusCode !== 200 || media?.protocol !== 'grpc-web') {
    response.resume()
    fail(foreignStatus(response))
    return
  }
  const decoder = createFrameDecoder(maxMessageBytes)
  let trailers = trailersOfHeaders(response)
  const passFrame = (flags: number, payload: Uint8Array) => {
    if (trailers !== null) throw malformed('it goes on after its end')
    if (flags === 0x80) trailers = decodeTrailers(payload)
    else if (flags === 0) passMessage(payload, reply, response)
    else throw malformed(`a frame has flags ${flags}`)
  }
  response.on('data', (chunk: Buffer) =>
    orFail(fail, () => {
      for (const { flags, payload } of decoder.push(chunk)) passFrame(flags, payload)
    }),
  )
  response.on('end', () =>
    orFail(fail, () => {
      decoder.end()
      if (trailers?.get('grpc-status') === undefined) throw malformed('it has no status')
      reply.endWithTrailers(trailers)
    }),
  )
  response.on('error', () =>
    fail({ code: statusCodes.UNAVAILABLE, message: 'Cannot read answer: the connection to the service was lost' }),
  )
}

function orFail(fail: Fail, step: () => void): void {
  try {
    step()
  } catch (error) {
    const isLarge = error instanceof ProtoJsonError && error.code === 'message_too_large'
    const message = error instanceof Error ? error.message : 'Cannot read answer'
    fail({ code: isLarge ? statusCodes.RESOURCE_EXHAUSTED : statusCodes.INTERNAL, message })
  }
}

function malformed(state: string): ProtoJsonError {
  return new ProtoJsonError('malformed_message', `Cannot read answer: ${state}`)
}

/** The status of an answer without a body, which is in its headers; null where it is not. */
function trailersOfHeaders({ headers }: IncomingMessage): Trailers | null {
  if (headers['grpc-status'] === undefined) return null
  const names = ['grpc-status', 'grpc-message', 'grpc-status-details-bin']
  return new Map(names.flatMap((name) => (typeof headers[name] === 'string' ? [[name, headers[name]]] : [])))
}

/** The status of an answer that is not gRPC-Web, which may come from a proxy on the way. */
function foreignStatus({ statusCode = 0, headers }: IncomingMessage): Status {
  const known = statusOfTrailers({ get: (name) => headers[name]?.toString() })
  if (known !== null && known.code !== statusCodes.OK) return known
  const code = statusCode === 200 ? statusCodes.UNKNOWN : statusOfHttp(statusCode)
  const message = `Cannot read answer: it is HTTP ${statusCode} without gRPC-Web, expected the rate limit service at --upstream`
  return { code, message }
}
