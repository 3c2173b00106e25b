/** `/json`: decides one request in JSON, and answers as the reference does. */

import type { RatelimitEnv } from '#objects/ratelimit/env.ts'
import { shouldRateLimit } from '#ratelimit/service.ts'
import { readBytes } from '../edge/body.ts'
import type { WithinRequest } from '../edge/request-context.ts'
import { openIsolate } from './adapters/isolate.ts'
import { noteLocation } from './adapters/location.ts'
import { loggerOf } from './adapters/logger.ts'
import { identifyCaller } from './caller.ts'
import { decisionContext } from './decision-context.ts'
import { answerDecision, decidedHeaders, readDecisionBody, refuseDecision, unmatchedHeaders } from './json-answer.ts'
import type { PlainAnswer } from './plain-answer.ts'
import { answerFailure } from './reason.ts'

/**
 * `/json` with any method, as `answerDecision` and `refuseDecision` say.
 *
 * Each `await` costs about 0.5 us, so nothing here awaits what is there already.
 */
export async function decideJson(
  request: Request,
  env: RatelimitEnv,
  ctx: ExecutionContext,
  within: WithinRequest,
): Promise<Response> {
  let caller: string | null = null
  try {
    caller = identifyCaller(request, env, ctx)
    const { settings } = openIsolate(env)
    if (settings.LEASE_REGIONS.length > 0) noteLocation(request)
    const { REQUEST_MAX_BODY_BYTES: bodyBytes } = settings
    const message = readDecisionBody(await readBytes(request, bodyBytes), bodyBytes)
    const context = decisionContext(env, ctx, within)
    const response = await shouldRateLimit(message, context instanceof Promise ? await context : context)
    return toResponse(answerDecision(response, settings))
  } catch (error) {
    return within(() => {
      const refused = refuseDecision(error, {
        logger: loggerOf(env),
        caller,
        isReasonInBody: () => openIsolate(env).settings.JSON_REASON_IN_BODY,
      })
      return refused === null ? answerFailure(env, request, error) : toResponse(refused)
    })
  }
}

/** Headers of the usual answers, made once: copying them costs less than reading them from an object. */
const finished = new Map<PlainAnswer['headers'], Headers>(
  [decidedHeaders, unmatchedHeaders].map((headers) => [headers, new Headers(headers)]),
)

function toResponse({ status, headers, body }: PlainAnswer): Response {
  return new Response(body, { status, headers: finished.get(headers) ?? headers })
}
