/** Everything that can go wrong between bytes and a message, each with its code. */

/** The closed set of codes; `grpc-web/status.ts` maps every one of them to a gRPC status. */
export type ProtoJsonErrorCode =
  | 'malformed_json'
  | 'malformed_message'
  | 'message_too_large'
  | 'compressed_message'
  | 'unsupported_media_type'
  | 'unknown_method'
  | 'unknown_service'
  | 'malformed_timeout'
  | 'deadline_exceeded'

/** Options of an error besides its message. */
export interface ProtoJsonErrorOptions {
  /** The failure underneath, kept for logs; never shown to a caller. */
  readonly cause?: unknown
}

/** An error of the protobuf side; switch on `code`. Messages are written for the caller and hold no secret. */
export class ProtoJsonError extends Error {
  readonly code: ProtoJsonErrorCode

  constructor(code: ProtoJsonErrorCode, message: string, options: ProtoJsonErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
  }

  override get name(): string {
    return 'ProtoJsonError'
  }
}
