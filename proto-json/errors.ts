/** Everything that can go wrong between bytes and a message, each with its code. */

import { CodedError, type CodedErrorOptions } from '#base/errors.ts'

/** The closed set of codes; `grpc-web/status.ts` maps every one of them to a gRPC status. */
export type ProtoJsonErrorCode =
  | 'malformed_json'
  | 'malformed_message'
  | 'message_too_large'
  | 'compressed_message'
  | 'unknown_method'
  | 'unknown_service'
  | 'malformed_timeout'
  | 'deadline_exceeded'

/** An error of the protobuf side; switch on `code`. Messages are written for the caller and hold no secret. */
export class ProtoJsonError extends CodedError<ProtoJsonErrorCode> {
  readonly code: ProtoJsonErrorCode

  constructor(code: ProtoJsonErrorCode, message: string, options: CodedErrorOptions = {}) {
    super(message, options)
    this.code = code
  }
}
