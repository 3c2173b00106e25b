/** The front door: all three surfaces in one Worker, told apart by path; everything else is a page. */

import type { Env } from '../durable-objects/env.ts'
import grid, { gridSettings } from './grid.ts'
import { answerSettingsHealth, settingsMistakes } from './http/settings-check.ts'
import ratelimit, { ratelimitSettings } from './ratelimit.ts'
import streamnet, { streamnetSettings } from './streamnet.ts'

export { RelayObject, SimulationDirectoryObject, SimulationObject } from './grid.ts'
export {
  CounterObject,
  MemcacheObject,
  RedisObject,
  RuleBookObject,
  StatsObject,
} from './ratelimit.ts'
export { NodeObject, SignerObject, StreamWatchObject } from './streamnet.ts'

/** Where each surface lives: a path that is equal, or that continues behind a slash. The first that fits answers. */
const rooms = [
  { fetch: grid.fetch, paths: ['/api/v1', '/simulations'] },
  { fetch: streamnet.fetch, paths: ['/streamnet/node', '/streamnet/admin', '/streamnet/v1', '/rpc/v1'] },
  {
    fetch: ratelimit.fetch,
    paths: [
      '/json',
      '/healthcheck',
      '/rlconfig',
      '/stats',
      '/metrics',
      '/config',
      '/counters',
      '/explain',
      '/debug',
      '/ratelimit',
      '/envoy.service.ratelimit.v3.RateLimitService',
      '/grpc.health.v1.Health',
    ],
  },
] as const

export default {
  async fetch(request: Request, env: Env, ctx: ExecutionContext): Promise<Response> {
    const { pathname } = new URL(request.url)
    if (pathname === '/healthcheck') {
      // The rate limiter's health is that of the whole once the settings of every surface make sense.
      const mistakes = settingsMistakes(env, [gridSettings, ratelimitSettings, streamnetSettings])
      if (mistakes.length > 0) return answerSettingsHealth(mistakes)
    }
    for (const { fetch, paths } of rooms) {
      if (paths.some((path) => pathname === path || pathname.startsWith(`${path}/`)))
        return fetch(request, env, ctx)
    }
    return env.ASSETS?.fetch(request) ?? new Response('Not found\n', { status: 404 })
  },
} satisfies ExportedHandler<Env>
