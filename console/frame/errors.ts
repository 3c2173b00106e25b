/** The one error that a room shows: what failed, why, what to do, and the request's id. */

interface FailureFacts {
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

/** A mistake that a service finds in a request. */
export interface Mistake {
  /** The field, such as `params.bus`; empty for the whole request. */
  readonly path: string
  readonly message: string
}

/** The mistakes in the answer of a request that failed; none where it lists none. */
export function readMistakes(error: ConsoleError | null): readonly Mistake[] {
  // Errors of the gateway have a list of path and message.
  const body = error?.body as { readonly mistakes?: readonly Mistake[] } | null | undefined
  return body?.mistakes ?? []
}

/** The message of the first mistake at a field; undefined without one. */
export function mistakeAt(mistakes: readonly Mistake[], path: string): string | undefined {
  return mistakes.find((one) => one.path === path)?.message
}
