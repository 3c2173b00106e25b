/** Calls of the limiter, whichever way they come in: decided by this deployment, their failures logged. */

import { answerCall, type LimiterCall } from '#limiter/answer.ts'
import type { DecideResult, LimitResult } from '#limiter/types.ts'
import type { RatelimitEnv } from '#objects/ratelimit/env.ts'
import { readRequest, writeResponse } from '#proto-json/json.ts'
import type { Where } from '#ratelimit/decision/log.ts'
import { RatelimitError } from '#ratelimit/errors.ts'
import type { WithinRequest } from '../../edge/request-context.ts'
import { openIsolate } from '../adapters/isolate.ts'
import { decisionContext } from '../decision-context.ts'
import { logFailure, logRefusal } from '../reason.ts'

const codec = { readRequest, writeResponse }

/** A call of a method, and where it came in. */
interface LocatedCall extends LimiterCall {
  readonly where: Where
}

/** Answers a call on the decision path; a failure is a result, and goes to the log. Nothing is thrown. */
export function answerLimiterCall<Result extends LimitResult | DecideResult>(
  call: LocatedCall,
  env: RatelimitEnv,
  ctx: ExecutionContext,
  within: WithinRequest,
): Promise<Result> {
  return answerCall(call, {
    codec,
    contextOf: () => decisionContext(env, ctx, within),
    maxLength: () => openIsolate(env).settings.REQUEST_MAX_BODY_BYTES,
    onFailure: (error) => within(() => logProblem(env, error, call.where)),
  }) as Promise<Result> // The method decides the kind of the result.
}

/** Logs an error of a call: as a refusal where the caller has caused it. */
export function logProblem(env: RatelimitEnv, error: unknown, where: Where): void {
  const isCallers = error instanceof RatelimitError && !deploymentCodes.has(error.code)
  if (isCallers) logRefusal(env, error, where)
  else logFailure(env, `Cannot answer ${where.path}`, error)
}

/** Codes of the deployment's own mistakes. */
const deploymentCodes: ReadonlySet<string> = new Set(['counter_unavailable', 'invalid_settings'])
