/** The one error that a room shows: what failed, why, what to do, and the request's id. */

/** Facts about a failure besides its message. */
export interface FailureFacts {
  /** HTTP status; 0 when there was no answer. */
  readonly status: number
  /** The way to make it right. */
  readonly hint?: string | undefined
  readonly requestId?: string | undefined
  /** The answer's body where it was JSON, for mistakes that belong to a field or a line. */
  readonly body?: unknown
}

/** A request that failed. */
export class ConsoleError extends Error {
  override readonly name = 'ConsoleError'
  readonly status: number
  readonly hint: string | undefined
  readonly requestId: string | undefined
  readonly body: unknown

  constructor(message: string, { status, hint, requestId, body }: FailureFacts) {
    super(message)
    this.status = status
    this.hint = hint
    this.requestId = requestId
    this.body = body
  }
}
