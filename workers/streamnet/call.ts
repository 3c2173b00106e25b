/** One request to the gateway: who asks, and the client that reads for it. */

import { clientNetwork } from '#edge/client-network.ts'
import { GatewayError } from '#gateway/errors.ts'
import { type Grant, makeOperatorGrant } from '#gateway/tokens.ts'
import type { StreamnetEnv } from '#objects/streamnet/env.ts'
import { createUpstreamClient } from '#objects/streamnet/upstream.ts'
import type { Client } from '#streamnet/index.ts'
import { hasBearer } from '../edge/bearer.ts'
import { clientAddress } from '../edge/client-address.ts'
import { allowedOperator } from '../edge/request-context.ts'
import { urlOf } from '../edge/request-url.ts'
import { type GatewayState, getGatewayState } from './adapters/gateway-state.ts'
import { reportUpstream } from './adapters/gateway-stats.ts'

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

/**
 * Finds out who asks, or fails as unauthorized or too_many. Every token is compared, each in constant time.
 *
 * @param operation - what is asked for, where a caller without a token may be let in.
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

/** Opens a client that reads as the gateway, not as its caller; all its requests have `budgetMs`. */
export function openClient({ env, isolate, after }: Call, budgetMs: number, onState?: (state: string) => void): Client {
  return createUpstreamClient(env, {
    signer: isolate.signer,
    budgetMs,
    onAnswer: (seconds, isAnswered) => reportUpstream(env, after, seconds, isAnswered),
    ...(onState && { onState }),
  })
}
