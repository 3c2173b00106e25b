/** The header fields of a call as the service gets them. */

import type { OutgoingHttpHeaders } from 'node:http'
import type { IncomingHttpHeaders } from 'node:http2'
import { formatTimeout } from '#proto-json/index.ts'
import { connectionHeaders } from './reply.ts'

/** Headers of the connection, and those that are written anew; every other one is metadata and goes through. */
const ownHeaders = new Set([
  ...connectionHeaders,
  'expect',
  'host',
  'content-length',
  'content-type',
  'accept',
  'accept-encoding',
  'grpc-accept-encoding',
  'grpc-timeout',
])

/** Body and headers that the front writes itself. */
interface CallBody {
  readonly webType: string
  /** Bytes. */
  readonly length: number
  /** Milliseconds of the monotonic clock; Infinity for none. */
  readonly deadline: number
}

/** Writes the headers of a request to the service: the caller's metadata, and those of gRPC-Web. */
export function upstreamHeaders(
  headers: IncomingHttpHeaders,
  { webType, length, deadline }: CallBody,
): OutgoingHttpHeaders {
  const metadata = Object.entries(headers).filter(([name]) => !name.startsWith(':') && !ownHeaders.has(name))
  return {
    ...Object.fromEntries(metadata),
    'content-type': webType,
    'content-length': length,
    accept: webType,
    // The network in front of a Worker would compress, which frames are not made for.
    'accept-encoding': 'identity',
    'x-grpc-web': '1',
    ...(deadline === Number.POSITIVE_INFINITY ? {} : { 'grpc-timeout': formatTimeout(deadline - performance.now()) }),
  }
}

/** Counts the bytes of header fields, which are held as long as their call. */
export function headerBytes(headers: IncomingHttpHeaders): number {
  let bytes = 0
  for (const name in headers) bytes += name.length + (headers[name]?.length ?? 0)
  return bytes
}
