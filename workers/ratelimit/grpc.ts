/** The decision path over gRPC-Web, Connect and Envoy's reverse bridge, and gRPC health. */

import type { RatelimitEnv } from '#objects/ratelimit/env.ts'
import {
  healthMethods,
  type MethodTable,
  rateLimitMethods,
  type Status,
  serve,
  servedMethods,
  shouldRateLimitPath,
} from '#proto-json/index.ts'
import type { Where } from '#ratelimit/decision/log.ts'
import { RatelimitError } from '#ratelimit/errors.ts'
import { shouldRateLimit } from '#ratelimit/service.ts'
import { responseTimeName, totalRequestsName } from '#ratelimit/statistics/names.ts'
import type { RateLimitRequest } from '#ratelimit/types.ts'
import { openIsolate } from './adapters/isolate.ts'
import { identifyCaller } from './caller.ts'
import { decisionContext } from './decision-context.ts'
import { reportHealth } from './health.ts'
import { watchHealth } from './health-watch.ts'
import { rootOf } from './path.ts'
import { problemStatus } from './problems.ts'
import { logFailure, logRefusal } from './reason.ts'

/** Counts calls, failed ones included; the reference counts gRPC calls only. */
const totalRequests = { name: totalRequestsName('ShouldRateLimit'), delta: 1 }

/** The services whose methods are served, and those that are not: an error names what is. */
export const grpcServices: readonly string[] = [
  ...new Set(servedMethods.map(rootOf)),
  '/envoy.service.ratelimit.v2.RateLimitService',
  '/grpc.reflection.v1.ServerReflection',
  '/grpc.reflection.v1alpha.ServerReflection',
]

/** Tells whether a path belongs to the protocol, in any version: the error of a missing method names the others. */
export function isGrpcPath(path: string): boolean {
  return path.startsWith('/envoy.service.ratelimit.') || path.startsWith('/grpc.')
}

/** Answers a call of any method, in the protocol that its content type speaks. */
export async function answerGrpc(
  request: Request,
  path: string,
  env: RatelimitEnv,
  ctx: ExecutionContext,
): Promise<Response> {
  const { REQUEST_MAX_BODY_BYTES: maxMessageBytes, GRPC_WEB_BODY: form } = openIsolate(env).settings
  let caller: string | null = null
  // Health is answered to every caller, a decision to known callers.
  const admit = () => {
    if (path === shouldRateLimitPath) caller = identifyCaller(request, env, ctx)
  }
  return serve(request, makeMethods(env, ctx), {
    path,
    admit,
    paths: servedMethods,
    maxMessageBytes,
    form,
    statusOf: (error) => reportError(error, env, { path, caller }),
  })
}

/** Makes the one method that is asked for. */
function makeMethods(env: RatelimitEnv, ctx: ExecutionContext): MethodTable {
  const decide = async (message: RateLimitRequest) => {
    const context = await decisionContext(env, ctx)
    try {
      return await shouldRateLimit(message, context)
    } finally {
      // The platform's clock does not advance while code runs, so this is the time that was waited for counters.
      const name = responseTimeName('ShouldRateLimit', Date.now() - context.nowMs)
      context.stats.record([totalRequests, { name, delta: 1 }])
    }
  }
  const check = (service: string) => checkHealth(service, env, ctx)
  const watch = (service: string, signal: AbortSignal) => watchHealth(() => check(service), signal)
  return {
    get: (path) =>
      path === shouldRateLimitPath ? rateLimitMethods(decide).get(path) : healthMethods({ check, watch }).get(path),
  }
}

/** The service `ratelimit` carries the state; the empty name is the server, which serves since it answers. */
async function checkHealth(service: string, env: RatelimitEnv, ctx: ExecutionContext) {
  if (service === '') return 'SERVING'
  if (service !== 'ratelimit') return null
  return (await reportHealth(env, ctx)).isHealthy ? 'SERVING' : 'NOT_SERVING'
}

function reportError(error: unknown, env: RatelimitEnv, where: Where): Status | null {
  if (!(error instanceof RatelimitError)) {
    logFailure(env, 'Cannot answer a call', error)
    return null
  }
  if (error.code === 'counter_unavailable') logFailure(env, 'Cannot decide', error)
  else logRefusal(env, error, where)
  return { code: problemStatus[error.code].grpc, message: error.message }
}
