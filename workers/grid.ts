/** The grid-security simulation over HTTP: tokens, routes and errors of the contract. */

import { type Context, Hono, type Next } from 'hono'
import { logVariables } from '#base/logger.ts'
import { GridError } from '#grid/errors.ts'
import { fieldPath } from '#grid/field/messages.ts'
import { gridVariables } from '#grid/settings.ts'
import { isObjectFailure, objectFailureText } from '#objects/base/object-failure.ts'
import type { GridEnv } from '#objects/grid/env.ts'
import { answerConsole, type SurfaceState, surfaceState } from './edge/console.ts'
import { isReading } from './edge/is-reading.ts'
import { nameRoute } from './edge/request-context.ts'
import { logAnswer, withCause } from './edge/request-log.ts'
import { answerSettingsHealth, type CheckedSurface, settingsMistakes } from './edge/settings-check.ts'
import { boundLimiter, serveSingleSurface } from './edge/single-surface.ts'
import type { Surface } from './edge/surface.ts'
import { type Asked, findPublicRight, findRight, forbid, mayCall, refuseUnauthorized } from './grid/access.ts'
import { type AdmittedCall, findSettings } from './grid/call.ts'
import { openField } from './grid/field.ts'
import { answerRoot } from './grid/front-page.ts'
import { handlers } from './grid/handlers.ts'
import { answerPreflight, refuseMethod } from './grid/methods.ts'
import { checkParameters, warningHeader } from './grid/parameters.ts'
import { baseOf, defaultBase, defaultName, findPlace, trimEndSlashes } from './grid/paths.ts'
import { json, problem } from './grid/problems.ts'
import { everyRoute, type Route, type RouteName } from './grid/routes.ts'
import { collectMetrics, requireSimulation, simulationNames } from './grid/simulations.ts'
import { answerUnknownPath } from './grid/unknown-path.ts'

export { RelayObject } from '#objects/grid/relay.ts'
export { SimulationObject } from '#objects/grid/simulation.ts'
export { SimulationDirectoryObject } from '#objects/grid/simulation-directory.ts'

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
  return isRoot ? answerRoot(request) : answerUnknownPath(pathname, undefined)
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
  if (right === undefined) return refuseUnauthorized(url, env)
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
      nameRoute(`${defaultBase}${route.path}`)
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
  const own = `${defaultBase}${path}`
  return isGlobal ? [own] : [own, `${baseOf(':name')}${path}`]
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
  fetch(request, env, ctx) {
    const limiter = boundLimiter(env.RATELIMIT)
    return serveSingleSurface({ surface: gridSurface, limiter }, request, env, ctx)
  },
} satisfies ExportedHandler<GridEnv>
