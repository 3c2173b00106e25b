/** The front door: all three surfaces in one Worker, told apart by path; everything else is a page. */

import { nearest } from '#base/nearest.ts'
import { answerConsole } from './edge/console.ts'
import { answerDeploymentMetrics } from './edge/deployment-metrics.ts'
import { answerFrontPage, type FrontPage } from './edge/front-page.ts'
import type { Limiter } from './edge/gate.ts'
import { answerHealthRoutes, isHealthPath } from './edge/health.ts'
import { isReading } from './edge/is-reading.ts'
import { serveSurface } from './edge/serve.ts'
import { answerSettingsHealth, settingsMistakes } from './edge/settings-check.ts'
import { mayReadMetrics } from './edge/single-surface.ts'
import type { Surface } from './edge/surface.ts'
import type { Env } from './env.ts'
import { describeGrid, gridSurface } from './grid.ts'
import { describeRatelimit, ratelimitSurface } from './ratelimit.ts'
import { describeStreamnet, streamnetSurface } from './streamnet.ts'

export { RelayObject, SimulationDirectoryObject, SimulationObject } from './grid.ts'
export {
  CounterObject,
  FrontObject,
  MemcacheObject,
  QuotaObject,
  RateLimiter,
  RedisObject,
  RegionObject,
  RuleBookObject,
  StatsObject,
} from './ratelimit.ts'
export { GatewayStatsObject, NodeObject, SignerObject, StreamWatchObject } from './streamnet.ts'

/** Every surface, in the order of their metrics. */
const surfaces: readonly Surface<Env>[] = [ratelimitSurface, gridSurface, streamnetSurface]

export default {
  async fetch(request: Request, env: Env, ctx: ExecutionContext): Promise<Response> {
    const { pathname } = new URL(request.url)
    if (pathname === '/healthcheck') {
      // The rate limiter's health is that of the whole once the settings of every surface make sense.
      const mistakes = settingsMistakes(
        env,
        surfaces.map(({ settings }) => settings),
      )
      if (mistakes.length > 0) return answerSettingsHealth(mistakes)
    }
    if (isHealthPath(pathname)) return answerHealthRoutes(pathname, surfaces, env, ctx)
    if (pathname === '/metrics' && (await mayReadMetrics(request, env))) {
      return answerDeploymentMetrics(surfaces, env)
    }
    const isAt = (path: string) => pathname === path || pathname.startsWith(`${path}/`)
    const surface = surfaces.find(({ paths }) => paths.some(isAt))
    if (surface === undefined) return answerPage(request, pathname, env, ctx)
    const limiter: Limiter = (asked) => ratelimitSurface.fetch(asked, env, ctx)
    return serveSurface({ surface, limiter }, request, env, ctx)
  },
} satisfies ExportedHandler<Env>

/** Answers a path of no surface: the console, the front page, a file, or 404. */
async function answerPage(request: Request, pathname: string, env: Env, ctx: ExecutionContext): Promise<Response> {
  const page = await answerConsole(request, env, async () => [
    await describeRatelimit(env, ctx),
    describeGrid(env),
    describeStreamnet(env),
  ])
  if (page !== null) return page
  if (pathname === '/' && isReading(request)) {
    return answerFrontPage(request, frontPage)
  }
  // The grid's description has OPTIONS on any path; the other services answer it on their own paths.
  if (request.method === 'OPTIONS') return gridSurface.fetch(request, env, ctx)
  const file = await env.ASSETS?.fetch(request)
  return file !== undefined && file.status !== 404 ? file : notFound(pathname)
}

const frontPage: FrontPage = {
  name: 'Sluice',
  about: 'Three services: a rate limiter, a grid-security simulation, and a gateway to data streams.',
  links: [
    { path: '/console', about: 'all of them in a browser' },
    { path: '/docs', about: 'their operations in a browser' },
    { path: '/healthcheck', about: 'whether they can work' },
    { path: '/ratelimit/openapi.json', about: 'the rate limiter in OpenAPI 3.1' },
    { path: '/api/v1/openapi.json', about: 'the grid in OpenAPI 3.1, with a token' },
    { path: '/streamnet/v1/openapi.json', about: 'the gateway in OpenAPI 3.1' },
  ],
}

/** Names the path that was perhaps meant, since a 404 without a word sends people looking in the wrong place. */
function notFound(path: string): Response {
  const known = surfaces.flatMap(({ paths }) => paths)
  const expected = nearest(path, known) ?? `a page, or below one of ${known.join(', ')}`
  const text = `Not found: there is no ${JSON.stringify(path.slice(0, 100))}, expected ${expected}\n`
  const headers = { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' }
  return new Response(text, { status: 404, headers })
}
