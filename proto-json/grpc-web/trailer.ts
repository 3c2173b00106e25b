/** Trailers of gRPC-Web: HTTP/1 style lines in the payload of the last frame. */

import { ProtoJsonError } from '../errors.ts'
import { encodeFrame, trailersFlag } from './frame.ts'
import { decodeStatusMessage, encodeStatusMessage, parseStatusCode, type Status } from './status.ts'

/** Trailers by lower-case name; the values of a name that occurs twice are joined by `, `. */
export type Trailers = ReadonlyMap<string, string>

/** Writes a status as pairs of names and values: `grpc-status` and, unless it is empty, `grpc-message`. */
function statusTrailers({ code, message }: Status): readonly (readonly [string, string])[] {
  const status = ['grpc-status', String(code)] as const
  return message === '' ? [status] : [status, ['grpc-message', encodeStatusMessage(message)]]
}

/** Writes the last frame of a body, without the space after colons that the network's bridge does not take. */
export function encodeTrailersFrame(status: Status): Uint8Array<ArrayBuffer> {
  const lines = statusTrailers(status).map(([name, value]) => `${name}:${value}\r\n`)
  return encodeFrame(trailersFlag, new TextEncoder().encode(lines.join('')))
}

/** Reads a trailers frame's payload, with or without a space after the colon; malformed_message for a bad line. */
export function decodeTrailers(payload: Uint8Array): Trailers {
  const trailers = new Map<string, string>()
  for (const line of new TextDecoder().decode(payload).split(/\r?\n/)) {
    if (line === '') continue
    const colon = line.indexOf(':')
    if (colon < 1) throw new ProtoJsonError('malformed_message', 'Cannot read trailers: a line has no name')
    const name = line.slice(0, colon).trim().toLowerCase()
    const value = line.slice(colon + 1).trim()
    const earlier = trailers.get(name)
    trailers.set(name, earlier === undefined ? value : `${earlier}, ${value}`)
  }
  return trailers
}

/** Reads the status out of trailers; null when there is no `grpc-status`. */
export function statusOfTrailers(trailers: { get(name: string): string | null | undefined }): Status | null {
  const code = trailers.get('grpc-status')
  if (code === undefined || code === null) return null
  return { code: parseStatusCode(code), message: decodeStatusMessage(trailers.get('grpc-message') ?? '') }
}
