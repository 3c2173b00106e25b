/** Answers of a node: the result of a request, or an error for everything else that may come back. */

import { StreamNetError } from '../errors.ts'
import { findCodeInText } from './errors.ts'
import type { RpcErrorBody } from './methods.ts'

/** The answer to a request: its result or its error. */
interface Answer {
  readonly result?: unknown
  readonly error?: RpcErrorBody
}

/** Parses the answer to the request `id`; undefined for everything that is not one. */
export function parseAnswer(
  status: number,
  text: string,
  id: number,
  json: Pick<typeof JSON, 'parse'>,
): Answer | undefined {
  try {
    const answer = json.parse(text)
    const { error } = answer
    if (answer.jsonrpc !== '2.0') return undefined
    // A node that could not read the request answers with an id of null.
    if (error && (answer.id === id || answer.id === null) && Number.isInteger(error.code)) {
      return { error: { ...error, message: String(error.message) } }
    }
    return status === 200 && answer.id === id && answer.result !== undefined && !error ? answer : undefined
  } catch {
    return undefined
  }
}

/** Turns an answer that is not JSON-RPC, or of another request, into an error of ours. */
export function fromStrangeAnswer(method: string, host: string, status: number, text: string): StreamNetError {
  const message = `Cannot call ${method}: ${host} answered ${status} with ${describe(text)}, expected JSON-RPC`
  const code = findCodeInText(text)
  if (code) return new StreamNetError(code, message, undefined)
  if (status === 401) return new StreamNetError('unauthenticated', message, { reason: 'HTTP 401' })
  if (status === 429) return new StreamNetError('rate_limited', message, undefined)
  return new StreamNetError('malformed_response', message, { status })
}

function describe(text: string): string {
  if (text === '') return 'nothing'
  return /^\s*</.test(text) ? 'HTML' : `"${text.slice(0, 80)}"`
}

/** Turns what `fetch` throws into an error of ours. */
export function fromFetchError(method: string, host: string, cause: unknown): StreamNetError {
  if (cause instanceof Error && cause.name === 'TimeoutError') {
    return new StreamNetError('timeout', `Cannot call ${method}: no answer from ${host} in time`, {}, { cause })
  }
  // Only where the platform says so is it certain that nothing was sent.
  const message = `Cannot call ${method}: the connection to ${host} `
  return findCodeInText(describeCauses(cause)) === 'connection_refused'
    ? new StreamNetError('connection_refused', `${message}was refused`, undefined, { cause })
    : new StreamNetError('connection_lost', `${message}was lost`, {}, { cause })
}

function describeCauses(error: unknown): string {
  if (!(error instanceof Error)) return ''
  // Node says why in the cause's code.
  const { code } = error as { code?: unknown }
  return `${error.message} ${code} ${describeCauses(error.cause)}`
}
