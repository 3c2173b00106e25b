/** Statuses that a front gives a call itself, without asking the service. */

import { errorStatus } from '#proto-json/grpc-web/status.ts'
import { ProtoJsonError, type Status, type StatusName, statusCodes } from '#proto-json/index.ts'

/** Makes a status of its name, such as `UNAVAILABLE`. */
export function status(name: StatusName, message: string): Status {
  return { code: statusCodes[name], message }
}

/** The content types of a message in bytes, for what a front reads itself. */
const protoContentTypes = ['application/grpc', 'application/grpc+proto']

/** The status of a call that a front reads itself and whose messages are not bytes; null for one that it can read. */
export function contentTypeProblem(contentType: string): Status | null {
  if (protoContentTypes.includes(contentType.split(';', 1)[0] ?? '')) return null
  return unknownContentType(contentType, protoContentTypes)
}

/** The status of a call in a content type that is not one of those known. */
export function unknownContentType(contentType: string, known: readonly string[]): Status {
  const shown = JSON.stringify(contentType.slice(0, 60))
  return status('UNIMPLEMENTED', `Cannot read call: its content type is ${shown}, expected ${known.join(', ')}`)
}

/** The status of a failed call: of a ProtoJsonError its own, of any other INTERNAL, which begins with `action`. */
export function statusOfError(error: unknown, action: string): Status {
  if (!(error instanceof ProtoJsonError)) return status('INTERNAL', `${action}: the front has failed`)
  return { code: errorStatus[error.code], message: error.message }
}
