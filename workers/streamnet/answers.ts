/** Answers of the gateway: results, outcomes and problems as responses. */

import { GatewayError } from '#gateway/errors.ts'
import { writeJson } from '#gateway/json.ts'
import { type Outcome, toProblem } from '#gateway/outcome.ts'
import { isObjectFailure, objectFailureText } from '#objects/base/object-failure.ts'
import { withCause } from '../edge/request-log.ts'
import { allowedMethods } from './allowed-methods.ts'
import { streamnetProblem } from './problems.ts'

/** A result as a response. */
export function answerResult(result: unknown, headers: Readonly<Record<string, string>> = {}, status = 200): Response {
  return answerBody(writeBody(writeJson(result)), headers, status)
}

/** A body as a response that no cache keeps. */
export function answerBody(
  body: string | Uint8Array,
  headers: Readonly<Record<string, string>> = {},
  status = 200,
): Response {
  return new Response(body, { status, headers: { ...jsonHeaders, 'cache-control': 'no-store', ...headers } })
}

/** Headers of every answer of JSON. */
export const jsonHeaders = {
  'content-type': 'application/json; charset=utf-8',
  'x-content-type-options': 'nosniff',
  vary: 'authorization',
} as const

/** The body around a result that is JSON text. */
export function writeBody(result: string): string {
  return `{"result":${result}}\n`
}

/** An outcome as a response. */
export function answerOutcome(
  outcome: Outcome,
  headers: Readonly<Record<string, string>> = {},
  status = 200,
): Response {
  return outcome.ok
    ? answerBody(writeBody(outcome.result), headers, status)
    : streamnetProblem(outcome.problem, headers)
}

/** Runs a handler; an error becomes a problem. */
export async function answering(request: Request, body: () => Response | Promise<Response>): Promise<Response> {
  try {
    return await body()
  } catch (error) {
    const isFailure = isObjectFailure(error)
    const problem = toProblem(
      isFailure ? new GatewayError('unavailable', `Cannot answer: ${objectFailureText}`) : error,
    )
    const isRefused = problem.code === 'method_not_allowed'
    const headers = isRefused ? { allow: allowedMethods(request.url).join(', ') } : {}
    const answer = streamnetProblem(problem, headers)
    return isFailure || problem.code === 'internal' ? withCause(answer, error) : answer
  }
}
