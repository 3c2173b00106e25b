/** One request to the gateway: who asks, with what, and how the answer is written. */

import { clientNetwork } from '#edge/client-network.ts'
import { GatewayError } from '#gateway/errors.ts'
import { parseJson, writeJson } from '#gateway/json.ts'
import { type Outcome, toProblem } from '#gateway/outcome.ts'
import { type Grant, makeOperatorGrant } from '#gateway/tokens.ts'
import { isObjectFailure, objectFailureText } from '#objects/base/object-failure.ts'
import type { StreamnetEnv } from '#objects/streamnet/env.ts'
import { createUpstreamClient } from '#objects/streamnet/upstream.ts'
import type { Client } from '#streamnet/index.ts'
import { hasBearer } from '../edge/bearer.ts'
import { readText } from '../edge/body.ts'
import { clientAddress } from '../edge/client-address.ts'
import { allowedOperator } from '../edge/request-context.ts'
import { withCause } from '../edge/request-log.ts'
import { urlOf } from '../edge/request-url.ts'
import { type GatewayState, getGatewayState } from './adapters/gateway-state.ts'
import { reportUpstream } from './adapters/gateway-stats.ts'
import { allowedMethods } from './allowed-methods.ts'
import { streamnetProblem } from './problems.ts'

/** A request whose token is known. */
export interface Call {
  readonly request: Request
  readonly url: URL
  readonly env: StreamnetEnv
  readonly isolate: GatewayState
  readonly grant: Grant
  /** Lets work go on after the answer. */
  readonly after: (work: Promise<void>) => void
}

/** The longest body of an operation, in bytes. */
export const maxBodyBytes = 1_000_000
/** The longest body of a bulk insertion, in bytes. */
export const maxBulkBodyBytes = 4_000_000

/**
 * Finds out who asks. Every token is compared, each in constant time.
 *
 * @param operation - what is asked for, where a caller without a token may be let in.
 * @throws GatewayError unauthorized when the token is missing or unknown.
 * @throws GatewayError too_many when a caller without a token asks too often.
 */
export function authenticate(
  request: Request,
  env: StreamnetEnv,
  ctx: Pick<ExecutionContext, 'waitUntil'>,
  operation?: string,
): Call {
  const isolate = getGatewayState(env)
  // Not `find`, which would stop at the first: the time would tell which token it is.
  const [own] = isolate.grants.filter(({ token }) => hasBearer(request, token))
  const grant = own ?? operatorGrant() ?? (operation && admitVisitor(request, isolate, operation))
  if (grant) {
    return { request, url: urlOf(request), env, isolate, grant, after: (work) => ctx.waitUntil(work) }
  }
  throw new GatewayError('unauthorized', `Cannot answer: ${unauthorizedState(request, isolate)}`)
}

/** The grant of an operator of SLUICE_TOKENS: everything, or read everything. */
function operatorGrant(): Grant | undefined {
  const writer = allowedOperator('gateway', { method: 'POST' })
  const operator = writer ?? allowedOperator('gateway', { method: 'GET' })
  return operator && makeOperatorGrant(operator.name, { isReadOnly: writer === undefined })
}

function unauthorizedState(request: Request, { grants }: GatewayState): string {
  if (grants.length === 0) return 'the gateway has no tokens, set the secret STREAMNET_TOKEN'
  if (request.headers.has('authorization'))
    return 'the token is unknown, expected Authorization: Bearer <token>, such as the value of STREAMNET_TOKEN'
  const inQuery = [...urlOf(request).searchParams.keys()].find((name) => /token|key|auth/i.test(name))
  const expected = 'there is no token, expected Authorization: Bearer <token>, such as the value of STREAMNET_TOKEN'
  return inQuery === undefined ? expected : `${expected}; "${inQuery.slice(0, 64)}" in the address is not read`
}

/** The grant of a caller without a token; undefined for a wrong token too. */
function admitVisitor(request: Request, { publicRead }: GatewayState, operation: string): Grant | undefined {
  if (publicRead === undefined || request.headers.has('authorization')) return undefined
  if (request.method !== 'GET' && request.method !== 'HEAD') return undefined
  if (!publicRead.operations.has(operation)) return undefined
  const client = clientNetwork(clientAddress(request))
  const seconds = publicRead.rate.take(client, Date.now())
  if (seconds === 0) return publicRead.grant
  throw new GatewayError(
    'too_many',
    `Cannot answer: more than ${publicRead.perMinute} reads without a token in this minute, expected fewer or a token`,
    { hint: `try again in ${seconds} seconds` },
  )
}

/** Reads the text of an operation's body: unsupported_media_type, body_too_large or malformed_json. */
export async function readBody(request: Request, maxBytes: number): Promise<string> {
  const type = request.headers.get('content-type') ?? 'application/json'
  // Forms and text can be posted by any page without asking; curl's default is refused with them, with a hint.
  if (!/^application\/(?:[\w.-]+\+)?json\b/i.test(type)) {
    throw new GatewayError(
      'unsupported_media_type',
      `Cannot read the body: content-type is "${type.slice(0, 64)}", expected application/json`,
    )
  }
  const body = await readText(request, maxBytes)
  if ('text' in body) return body.text
  if (body.fault === 'too_large') {
    throw new GatewayError('body_too_large', `Cannot read the body: it is too long, expected at most ${maxBytes} bytes`)
  }
  throw new GatewayError('malformed_json', 'Cannot read the body: it is not UTF-8')
}

/** Parses the body of an operation, without parameters when it is empty; malformed_json. */
export function parseBody(text: string): unknown {
  return text.trim() === '' ? {} : parseJson(text)
}

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

/** Opens a client that reads as the gateway, not as its caller; all its requests have `budgetMs`. */
export function openClient({ env, isolate, after }: Call, budgetMs: number, onState?: (state: string) => void): Client {
  return createUpstreamClient(env, {
    signer: isolate.signer,
    budgetMs,
    onAnswer: (seconds, isAnswered) => reportUpstream(env, after, seconds, isAnswered),
    ...(onState && { onState }),
  })
}
