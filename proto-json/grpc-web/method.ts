/** Methods of a service by path, and calls of them within the caller's deadline. */

import { ProtoJsonError } from '../errors.ts'
import type { MessageFormat } from './content-type.ts'

/** A call as a method sees it. */
export interface Call {
  readonly request: Request
  /** Aborted when the deadline has passed; null without one. */
  readonly signal: AbortSignal | null
  /** Deadline of the caller, in milliseconds from now; null when it has none. */
  readonly timeoutMs: number | null
}

/** A call that is answered again and again. */
export interface StreamingCall extends Call {
  /** Aborted when the reader has left, or the client its connection. */
  readonly signal: AbortSignal
}

/** A method with one answer: a message's bytes in, the answer's bytes out, both in the same format. */
export interface UnaryMethod {
  readonly kind: 'unary'
  answer(message: Uint8Array, format: MessageFormat, call: Call): Promise<Uint8Array<ArrayBuffer>>
}

/** A method that answers again and again until it ends or the reader leaves. */
export interface StreamingMethod {
  readonly kind: 'stream'
  answer(message: Uint8Array, format: MessageFormat, call: StreamingCall): AsyncIterable<Uint8Array>
}

/** Methods by path, such as `/grpc.health.v1.Health/Check`. Made by `rateLimitMethods` and `healthMethods`. */
export type Methods = ReadonlyMap<string, UnaryMethod | StreamingMethod>

/** Table in which `findMethod` looks a method up: `Methods`, or one that makes a method when it is asked for. */
export type MethodTable = Pick<Methods, 'get'>

/** Finds the method of a path; unknown_method, with the paths that are known, when there is none. */
export function findMethod(
  methods: MethodTable,
  path: string,
  known: readonly string[],
): UnaryMethod | StreamingMethod {
  const method = methods.get(path)
  if (method === undefined) throw new ProtoJsonError('unknown_method', unknownMethodText(path, known))
  return method
}

/** The message for a method that does not exist: its path, and those that exist. */
export function unknownMethodText(path: string, known: readonly string[]): string {
  const shown = JSON.stringify(path.slice(0, 200))
  const expected = known.length === 0 ? '' : `, expected one of ${known.join(', ')}`
  return `Cannot call method: there is no ${shown}${expected}`
}

/** A message for a method. */
export interface Question {
  readonly request: Request
  readonly message: Uint8Array
  readonly format: MessageFormat
  readonly timeoutMs: number | null
}

/** The longest delay that a timer takes; a caller who waits longer has no deadline worth a timer. */
const longestDelayMs = 2 ** 31 - 1

/** Asks a method for its one answer; deadline_exceeded when it takes longer than the caller waits. */
export async function callUnary(method: UnaryMethod, question: Question): Promise<Uint8Array<ArrayBuffer>> {
  const { request, message, format, timeoutMs } = question
  if (timeoutMs === null || timeoutMs > longestDelayMs) {
    return method.answer(message, format, { request, signal: null, timeoutMs })
  }
  if (timeoutMs <= 0) throw tooLate(timeoutMs)
  const controller = new AbortController()
  const call: Call = { request, signal: controller.signal, timeoutMs }
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(tooLate(timeoutMs))
      controller.abort()
    }, timeoutMs)
    method
      .answer(message, format, call)
      .then(resolve, reject)
      .finally(() => clearTimeout(timer))
  })
}

function tooLate(timeoutMs: number): ProtoJsonError {
  return new ProtoJsonError('deadline_exceeded', `Cannot answer call: its ${timeoutMs} ms are over`)
}

/** Begins a stream of answers, whose deadline is its reader's to keep; the method learns of it through `timeoutMs`. */
export function callStreaming(method: StreamingMethod, { request, message, format, timeoutMs }: Question) {
  const controller = new AbortController()
  const signal = AbortSignal.any([controller.signal, request.signal])
  const call: StreamingCall = { request, signal, timeoutMs }
  return { messages: method.answer(message, format, call), cancel: () => controller.abort() }
}
