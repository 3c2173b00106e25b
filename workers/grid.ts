/** The grid-security simulation over HTTP: tokens, routes and errors of the contract. */

import { type Context, Hono, type Next } from 'hono'
import { logVariables } from '#base/logger.ts'
import { product } from '#grid/configuration.ts'
import { GridError } from '#grid/errors.ts'
import { fieldPath } from '#grid/field/messages.ts'
import { simulationName } from '#grid/interface/requests.ts'
import { gridVariables } from '#grid/settings.ts'
import { isObjectFailure, objectFailureText } from '#objects/base/object-failure.ts'
import type { GridEnv } from '#objects/grid/env.ts'
import { answerConsole, type SurfaceState, surfaceState } from './edge/console.ts'
import { corsHeaders } from './edge/cors.ts'
import { nameRoute } from './edge/request-context.ts'
import { logAnswer, withCause } from './edge/request-log.ts'
import { answerSettingsHealth, type CheckedSurface, settingsMistakes } from './edge/settings-check.ts'
import { boundLimiter, serveSingleSurface } from './edge/single-surface.ts'
import type { Surface } from './edge/surface.ts'
import { type Asked, findPublicRight, findRight, forbid, mayCall } from './grid/access.ts'
import { type AdmittedCall, findSettings, query } from './grid/call.ts'
import { openField } from './grid/field.ts'
import { handlers } from './grid/handlers.ts'
import { checkParameters, warningHeader } from './grid/parameters.ts'
import { answerRoot, answerUnknownPath, trimEndSlashes } from './grid/paths.ts'
import { gridStatus, json, problem } from './grid/problems.ts'
import { everyRoute, isAt, type Route, type RouteName } from './grid/routes.ts'
import { collectMetrics, defaultName, requireSimulation, simulationNames } from './grid/simulations.ts'

export { RelayObject } from '#objects/grid/relay.ts'
export { SimulationObject } from '#objects/grid/simulation.ts'
export { SimulationDirectoryObject } from '#objects/grid/simulation-directory.ts'

/** Query parameters in which people try to send the token; it would end up in logs and histories. */
const tokenParameters = ['token', 'access_token', 'api_key', 'apikey', 'key', 'auth']

/** Settings of this surface that the health of a deployment checks. */
export const gridSettings: CheckedSurface<GridEnv> = {
  variables: { tables: [gridVariables, logVariables] },
  read: findSettings,
}

/** Describes this surface for the console. */
export function describeGrid(env: GridEnv): SurfaceState {
  return surfaceState('grid', gridSettings, env)
}

interface AppEnv {
  Bindings: GridEnv
  Variables: { admitted: AdmittedCall; warnings: readonly string[] }
}

const app = new Hono<AppEnv>({
  // Slashes at the end mean nothing, however many there are.
  getPath: ({ url }) => trimEndSlashes(new URL(url).pathname) || '/',
})

app.onError((error) => {
  if (error instanceof GridError) {
    const headers: Record<string, string> = error.code === 'too_many' ? { 'retry-after': '60' } : {}
    return problem(error.code, error.message, error.hint, headers)
  }
  const answer = isObjectFailure(error)
    ? problem('unavailable', `Cannot answer: ${objectFailureText}`, undefined, { 'retry-after': '2' })
    : json({ error: 'Internal server error' }, 500)
  return withCause(answer, error)
})

app.use('*', async (context, next) => {
  const { env } = context
  const request = context.req.raw
  const url = new URL(request.url)
  if (url.pathname === '/healthcheck') return answerSettingsHealth(settingsMistakes(env, [gridSettings]))
  const place = findPlace(url.pathname)
  if (request.method === 'OPTIONS') return answerPreflight(place?.path)
  if (place === undefined) return answerOutside(request, url.pathname)
  if (place.path === fieldPath) return openField(request, env, place.name)
  // Before routing: a stranger cannot tell a path that exists from one that does not.
  const simulation = env.SIMULATION.getByName(place.name)
  const admitted = await admit({ request, url, env, ...place, simulation }, place.path)
  return admitted instanceof Response ? admitted : answerRoute(context, next, admitted)
})

/** Answers by the routes below; the handler's warnings become a header. */
async function answerRoute(context: Context<AppEnv>, next: Next, admitted: AdmittedCall): Promise<void> {
  context.set('admitted', admitted)
  context.set('warnings', [])
  await next()
  const { warnings } = context.var
  if (warnings.length > 0) context.res.headers.set(warningHeader, warnings.join(' '))
  // HEAD has no body: cancel the stream, or it is produced in full.
  if (admitted.request.method === 'HEAD') await context.res.body?.cancel()
}

function answerOutside(request: Request, pathname: string): Response {
  const isRoot = pathname === '/' && isReading(request)
  return isRoot ? answerRoot(request, product) : answerUnknownPath(pathname, undefined)
}

/**
 * Finds the right of a caller to a simulation, or answers the refusal. `POST /sim/config` may name a simulation that
 * does not exist: its handler adds the name once it has read the body.
 *
 * @throws GridError not_found when the simulation does not exist.
 */
async function admit(asked: Asked, path: string): Promise<AdmittedCall | Response> {
  const { request, url, env, name } = asked
  const isPublic = isReading(request) && path === '/status'
  const right = await (isPublic ? findPublicRight : findRight)(asked, path)
  if (right === undefined) return refuse(url, env)
  // Before any object is asked and any body is read: a refusal takes the same time in every state.
  if (right !== 'operator' && !mayCall(right, request, url, path)) return forbid()
  if (request.method !== 'POST' || path !== '/sim/config') await requireSimulation(env, name, { withHint: !isPublic })
  return { ...asked, right }
}

for (const route of everyRoute) {
  for (const path of listPaths(route)) {
    app.on(route.method, path, (context) => {
      const { admitted } = context.var
      const warnings = checkParameters(route, admitted.url)
      context.set('warnings', warnings)
      nameRoute(`/api/v1${route.path}`)
      // The table of handlers is keyed by exactly these two fields.
      return handlers[`${route.method} ${route.path}` as RouteName]({ ...admitted, warnings })
    })
  }
}

// Behind the routes, so that only methods that a path lacks come here.
for (const route of everyRoute) {
  for (const path of listPaths(route)) app.all(path, ({ req }) => refuseMethod(req.raw, route.path))
}

app.notFound(({ req }) => {
  const { pathname } = new URL(req.url)
  return answerUnknownPath(pathname, findPlace(pathname))
})

/** The paths of a route: below the default simulation, and below any other. */
function listPaths({ path, isGlobal }: Route): readonly string[] {
  return isGlobal ? [`/api/v1${path}`] : [`/api/v1${path}`, `/simulations/:name/api/v1${path}`]
}

function refuseMethod({ method, url }: Request, path: string): Response {
  const allowed = listMethods(path).flatMap((name) => (name === 'GET' ? ['GET', 'HEAD'] : [name]))
  const allow = [...allowed, 'OPTIONS'].join(', ')
  const { pathname } = new URL(url)
  return problem('method_not_allowed', `Method not allowed: ${method} ${pathname}`, `Allowed: ${allow}`, { allow })
}

/** Lists the methods of a path inside an interface, HEAD and OPTIONS aside. */
function listMethods(path: string): readonly Route['method'][] {
  return everyRoute.filter((route) => isAt(route, path)).map(({ method }) => method)
}

/** Answers a preflight: GET, POST and OPTIONS; for a path with other methods, exactly those of the path. */
function answerPreflight(path: string | undefined): Response {
  const methods = path === undefined ? [] : listMethods(path)
  const isCommon = methods.every((method) => method === 'GET' || method === 'POST')
  const own = isCommon ? {} : { 'access-control-allow-methods': [...methods, 'OPTIONS'].join(', ') }
  return new Response(null, { status: 204, headers: { ...corsHeaders, ...own } })
}

/** Finds the simulation of a path, and the path inside its interface, also for the gate and unknown paths. */
function findPlace(pathname: string) {
  const path = trimEndSlashes(pathname)
  const match = /^(?:\/simulations\/([^/]+))?\/api\/v1(\/.*)?$/.exec(path)
  if (match === null) return undefined
  const name = match[1] ?? defaultName
  if (!simulationName.test(name)) return undefined
  return { name, basePath: path.slice(0, path.length - (match[2] ?? '').length), path: match[2] ?? '' }
}

/** HEAD is GET without the body (RFC 9110, 9.3.2). */
function isReading({ method }: Request): boolean {
  return method === 'GET' || method === 'HEAD'
}

/** The contract fixes `error` and the words of `hint`; `detail` is a further member, which it allows. */
function refuse(url: URL, { GRID_TOKEN }: GridEnv): Response {
  const detail =
    (GRID_TOKEN ?? '') === ''
      ? 'GRID_TOKEN is not set here, and only a token of SLUICE_TOKENS is taken'
      : '<api_key> is the value of GRID_TOKEN, or a token of SLUICE_TOKENS with the scope grid'
  const body = { error: 'Unauthorized', hint: hintFor(url), detail }
  return json(body, gridStatus.unauthorized, { 'www-authenticate': 'Bearer' })
}

function hintFor(url: URL): string {
  const header = 'Include: Authorization: Bearer <api_key>'
  if (tokenParameters.some((name) => url.searchParams.has(name))) {
    return `Never send the token in the query. ${header}; an EventSource takes a ticket from POST /api/v1/events/ticket`
  }
  if (query(url, 'ticket') === undefined) return header
  return `A ticket is good for GET /api/v1/events, once, for 60 s; POST /api/v1/events/ticket gives another. ${header}`
}

async function answer(request: Request, env: GridEnv, ctx: ExecutionContext): Promise<Response> {
  const page = await answerConsole(request, env, async () => [describeGrid(env)])
  if (page !== null) return page
  const response = await app.fetch(request, env, ctx)
  await logAnswer(env, request, response)
  return response
}

/** The simulation as a surface of a deployment. */
export const gridSurface: Surface<GridEnv> = {
  name: 'grid',
  paths: ['/api', '/simulations'],
  fetch: answer,
  settings: gridSettings,
  checks: {
    async grid(env) {
      await Promise.all([simulationNames(env), env.SIMULATION.getByName(defaultName).metrics()])
    },
  },
  metrics: collectMetrics,
  gate: {
    operationOf(request, path) {
      if (request.method === 'OPTIONS' || findPlace(path) === undefined) return null
      if (/\/events\/*$/.test(path)) return 'stream'
      return isReading(request) ? 'read' : 'write'
    },
    isOperator: () => false,
    refuse: (message, seconds) => problem('too_many', message, undefined, { 'retry-after': String(seconds) }),
  },
}

export default {
  fetch: (request, env, ctx) => serveSingleSurface(gridSurface, request, env, ctx, boundLimiter(env.RATELIMIT)),
} satisfies ExportedHandler<GridEnv>
