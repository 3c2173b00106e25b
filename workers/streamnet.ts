/** The stream network at the edge: the development node, and the gateway beside it. */

import { Hono } from 'hono'
import { logVariables } from '#base/logger.ts'
import { nodeVariables } from '#devnode/setting-table.ts'
import { parseNodeSettings } from '#devnode/settings.ts'
import { gatewayVariables } from '#gateway/settings.ts'
import { isObjectFailure } from '#objects/base/object-failure.ts'
import type { StreamnetEnv } from '#objects/streamnet/env.ts'
import { hasBearer } from './edge/bearer.ts'
import { answerConsole, type SurfaceState, surfaceState } from './edge/console.ts'
import { answerFrontPage, type FrontPage } from './edge/front-page.ts'
import { nameRoute } from './edge/request-context.ts'
import { logAnswer, withCause } from './edge/request-log.ts'
import { urlOf } from './edge/request-url.ts'
import { answerSettingsHealth, type CheckedSurface, settingsMistakes } from './edge/settings-check.ts'
import { boundLimiter, serveSingleSurface } from './edge/single-surface.ts'
import type { Surface } from './edge/surface.ts'
import { getGatewayState } from './streamnet/adapters/gateway-state.ts'
import { reportRequest } from './streamnet/adapters/gateway-stats.ts'
import { checkGateway, checkNode } from './streamnet/checks.ts'
import { allowPages, answerPreflight } from './streamnet/cors.ts'
import { findGateOperation, refuseCaller } from './streamnet/gate.ts'
import { answerPost, mountGateway, nameOperation } from './streamnet/gateway.ts'
import { metricsText } from './streamnet/metrics.ts'
import { answerFailure, answerHealth, answerMetrics, answerRpc, answerSpec, refuseMethod } from './streamnet/node.ts'
import type { NodePort } from './streamnet/node-access.ts'
import { answerFresh } from './streamnet/read-cache.ts'
import { answerUnknownPath } from './streamnet/unknown-path.ts'

export { GatewayStatsObject } from '#objects/streamnet/gateway-stats.ts'
export { NodeObject } from '#objects/streamnet/node.ts'
export { SignerObject } from '#objects/streamnet/signer.ts'
export { StreamWatchObject } from '#objects/streamnet/stream-watch.ts'

type App = Hono<{ Bindings: StreamnetEnv }>

/** Settings of this surface that the health of a deployment checks. */
export const streamnetSettings: CheckedSurface<StreamnetEnv> = {
  variables: { tables: [gatewayVariables, nodeVariables, logVariables] },
  read(env) {
    getGatewayState(env)
    parseNodeSettings({ ...env })
  },
}

/** Describes this surface for the console. */
export function describeStreamnet(env: StreamnetEnv): SurfaceState {
  return surfaceState('streamnet', streamnetSettings, env)
}

const frontPage: FrontPage = {
  name: 'Sluice stream gateway',
  about: 'Every operation of a data-stream network over HTTPS, and a development node where it is opened.',
  links: [
    { path: '/streamnet/v1', about: 'every operation' },
    { path: '/streamnet/v1/openapi.json', about: 'the interface in OpenAPI 3.1' },
    { path: '/healthcheck', about: 'whether the settings make sense' },
  ],
}

// Routes by the path as it was sent. Hono would decode it, and the gate and CORS would look at another path.
const app: App = new Hono({ getPath: (request) => urlOf(request).pathname })
mountGateway(app)
mountNode(app, '/streamnet/node', 'public')
mountNode(app, '/streamnet/admin', 'admin')
app.get('/streamnet/admin/metrics', (context) => answerMetrics(context.req.raw, context.env))
app.all('/streamnet/admin/metrics', () => refuseMethod('GET, HEAD'))
// The paths of a node that no other surface has; health is left to the prefix, `/api/v1` is the grid's.
app.all('/rpc/v1', (context) => answerRpc(context.req.raw, context.env, 'public'))
app.all('/healthcheck', ({ env }) => answerSettingsHealth(settingsMistakes(env, [streamnetSettings])))
app.get('/', ({ req }) => answerFrontPage(req.raw, frontPage))
app.notFound(({ req }) => answerUnknownPath(req.raw))
app.onError((error) => {
  const failure = isObjectFailure(error) ? answerFailure() : new Response('Internal Server Error\n', { status: 500 })
  return withCause(failure, error)
})

/** One port of the node below a path, with the paths that a separate node would have. */
function mountNode(mounted: App, prefix: string, port: NodePort): void {
  mounted.all(`${prefix}/rpc/v1`, (context) => answerRpc(context.req.raw, context.env, port))
  mounted.get(`${prefix}/api/v1/health`, (context) => answerHealth(context.req.raw, context.env, port))
  mounted.get(`${prefix}/api/v1/health/:service`, (context) =>
    answerHealth(context.req.raw, context.env, port, context.req.param('service')),
  )
  mounted.get(`${prefix}/spec/v1`, (context) => answerSpec(context.req.raw, context.env, port))
  for (const path of ['/api/v1/health', '/api/v1/health/:service', '/spec/v1']) {
    mounted.all(`${prefix}${path}`, () => refuseMethod('GET, HEAD'))
  }
}

/** The pattern of a path, for spans: operations of the gateway by name, paths of the node as they are. */
function labelRoute(pathname: string): string {
  if (pathname.startsWith('/streamnet/v1/')) return `/streamnet/v1/${nameOperation(pathname)}`
  return /^(\/streamnet\/(node|admin))?\/(rpc\/v1|spec\/v1|metrics|api\/v1\/health)$/.test(pathname)
    ? pathname
    : 'other'
}

async function answer(request: Request, env: StreamnetEnv, ctx: ExecutionContext): Promise<Response> {
  const { pathname } = urlOf(request)
  nameRoute(labelRoute(pathname))
  const fresh = answerFresh(request, env)
  if (fresh !== undefined) {
    reportRequest(env, (work) => ctx.waitUntil(work), nameOperation(pathname), fresh.status)
    return allowPages(request, env, fresh)
  }
  const page = await answerConsole(request, env, async () => [describeStreamnet(env)])
  if (page !== null) return page
  const response =
    answerPreflight(request, env) ?? (await (answerPost(request, env, ctx) ?? app.fetch(request, env, ctx)))
  await logAnswer(env, request, response)
  return allowPages(request, env, response)
}

/** The gateway and the node as a surface of a deployment. */
export const streamnetSurface: Surface<StreamnetEnv> = {
  name: 'streamnet',
  paths: ['/streamnet/node', '/streamnet/admin', '/streamnet/v1', '/rpc/v1'],
  fetch: answer,
  settings: streamnetSettings,
  checks: { gateway: checkGateway, node: checkNode },
  metrics: metricsText,
  gate: {
    operationOf: findGateOperation,
    isOperator: (request, env) => hasBearer(request, env.STREAMNET_ADMIN_TOKEN),
    refuse: refuseCaller,
  },
}

export default {
  fetch(request, env, ctx) {
    const limiter = boundLimiter(env.RATELIMIT)
    return serveSingleSurface({ surface: streamnetSurface, limiter }, request, env, ctx)
  },
} satisfies ExportedHandler<StreamnetEnv>
