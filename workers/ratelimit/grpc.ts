/** The decision path over gRPC-Web, Connect and Envoy's reverse bridge, and gRPC health. */

import type { RatelimitEnv } from '../../durable-objects/env.ts'
import {
  healthMethods,
  type MethodTable,
  rateLimitMethods,
  type Status,
  serve,
  shouldRateLimitPath,
} from '../../proto-json/index.ts'
import { RatelimitError } from '../../src/ratelimit/errors.ts'
import type { Logger } from '../../src/ratelimit/logger.ts'
import { shouldRateLimit } from '../../src/ratelimit/service.ts'
import type { RateLimitRequest } from '../../src/ratelimit/types.ts'
import { isolateOf } from '../adapters/isolate.ts'
import { loggerOf } from '../adapters/logger.ts'
import { grpcStatus } from '../http/problems.ts'
import { isHealthy, worldOf } from './decision.ts'
import { watchHealth } from './health-watch.ts'

/** Counts calls, whatever became of them; the reference counts gRPC alone. */
const totalRequests = { name: 'ratelimit_server.ShouldRateLimit.total_requests', delta: 1 }

/** Tells whether a path is one of the services of the protocol; an unknown method of theirs is UNIMPLEMENTED. */
export function isGrpcPath(path: string): boolean {
  return path.startsWith('/envoy.service.ratelimit.v3.') || path.startsWith('/grpc.health.v1.')
}

/** Answers a call of any method, in the protocol that its content type speaks. */
export async function answerGrpc(
  request: Request,
  path: string,
  env: RatelimitEnv,
  ctx: ExecutionContext,
): Promise<Response> {
  const { bounds, values } = isolateOf(env).settings
  return serve(request, methodsOf(env, ctx), {
    path,
    maxMessageBytes: bounds.bodyBytes,
    form: values.GRPC_WEB_BODY,
    statusOf: (error) => statusOf(error, loggerOf(env)),
  })
}

/** Makes the one method that is asked for. */
function methodsOf(env: RatelimitEnv, ctx: ExecutionContext): MethodTable {
  const decide = async (message: RateLimitRequest) => {
    const world = await worldOf(env, ctx)
    world.stats.record([totalRequests])
    return shouldRateLimit(message, world)
  }
  const check = (service: string) => checkHealth(service, env, ctx)
  const watch = (service: string, signal: AbortSignal) => watchHealth(() => check(service), signal)
  return {
    get: (path) =>
      (path === shouldRateLimitPath ? rateLimitMethods(decide) : healthMethods({ check, watch })).get(path),
  }
}

/** The service `ratelimit` carries the state; the empty name is the server, which serves since it answers. */
async function checkHealth(service: string, env: RatelimitEnv, ctx: ExecutionContext) {
  if (service === '') return 'SERVING'
  if (service !== 'ratelimit') return null
  return (await isHealthy(env, ctx)) ? 'SERVING' : 'NOT_SERVING'
}

function statusOf(error: unknown, logger: Logger): Status | null {
  if (error instanceof RatelimitError) {
    if (error.code === 'counter_unavailable') logger.error('Cannot decide', error)
    return { code: grpcStatus[error.code], message: error.message }
  }
  logger.error('Cannot answer a call', error)
  return null
}
