/** The limiter for other programs over a service binding: an entrypoint that Workers call. */

import { WorkerEntrypoint } from 'cloudflare:workers'
import type {
  DecideRequest,
  DecideResult,
  Limiter,
  LimiterDefaults,
  LimiterMethod,
  LimitRequest,
  LimitResult,
  PeekRequest,
  SettleRequest,
} from '#limiter/types.ts'
import type { RatelimitEnv } from '#objects/ratelimit/env.ts'
import { runRequest, type WithinRequest } from '../edge/request-context.ts'
import { beginContext } from '../edge/serve.ts'
import { answerLimiterCall } from './limiter/call.ts'

/**
 * The limiter over a service binding: `services = [{ binding, service, entrypoint = "RateLimiter" }]`. `props` of the
 * binding are defaults of its requests. No token is asked for: the account's owner has made the binding. `CALLER_*`
 * say what requests may ask.
 */
export class RateLimiter extends WorkerEntrypoint<RatelimitEnv, LimiterDefaults> implements Limiter {
  limit(request: LimitRequest): Promise<LimitResult> {
    return answerBinding('limit', request, this.env, this.ctx)
  }

  peek(request: PeekRequest): Promise<LimitResult> {
    return answerBinding('peek', request, this.env, this.ctx)
  }

  refund(request: Omit<LimitRequest, 'reservation'>): Promise<LimitResult> {
    return answerBinding('refund', request, this.env, this.ctx)
  }

  settle(request: SettleRequest): Promise<LimitResult> {
    return answerBinding('settle', request, this.env, this.ctx)
  }

  decide(request: DecideRequest): Promise<DecideResult> {
    return answerBinding('decide', request, this.env, this.ctx)
  }
}

/** A method of the class would be one that other Workers can call. */
function answerBinding<Result extends LimitResult | DecideResult>(
  method: LimiterMethod,
  asked: unknown,
  env: RatelimitEnv,
  ctx: ExecutionContext<LimiterDefaults>,
): Promise<Result> {
  const where = { path: `RateLimiter.${method}`, caller: null }
  return answerLimiterCall<Result>({ method, asked, props: ctx.props, where }, env, ctx, withinCall)
}

const withinCall: WithinRequest = (body) => runRequest(beginContext('ratelimit', undefined), body)
