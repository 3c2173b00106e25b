/** The one shape of every error that a domain throws on purpose: a closed code, a sentence, perhaps a hint. */

/** Options of an error besides its message. */
export interface CodedErrorOptions {
  /** Advice for a person: what to do next. */
  readonly hint?: string
  /** The failure underneath, kept for logs; never shown to a caller. */
  readonly cause?: unknown
}

/**
 * An error whose `code` belongs to a domain's closed union, so that a table from code to wire status can be
 * checked by the compiler.
 *
 * Messages say the action that failed, a colon, the state, then what would be right.
 */
export abstract class CodedError<Code extends string> extends Error {
  abstract readonly code: Code
  readonly hint: string | undefined

  constructor(message: string, options: CodedErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.hint = options.hint
  }

  override get name(): string {
    return this.constructor.name
  }
}

/** The message of what was thrown. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}

/** The reason why a request failed: the error of `fetch` says only that it did, its cause may have one for each address. */
export function reasonOf(thrown: unknown): string {
  const cause: unknown = thrown instanceof Error ? (thrown.cause ?? thrown) : thrown
  return messageOf(cause instanceof AggregateError ? cause.errors[0] : cause)
}

/** A setting that cannot be read. The message names the variable and what it may be, and shows no secret. */
export class VariableError extends CodedError<'invalid_settings'> {
  readonly code = 'invalid_settings'
}
