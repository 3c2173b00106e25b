/** The rate limit service over HTTP: the decision path, and the operator plane behind a token. */

import { IttyRouter } from 'itty-router'
import type { RatelimitEnv } from '../durable-objects/env.ts'
import { RatelimitError } from '../src/ratelimit/errors.ts'
import { ratelimitVariables } from '../src/ratelimit/settings.ts'
import { isolateOf } from './adapters/isolate.ts'
import { loggerOf } from './adapters/logger.ts'
import { hasBearer } from './http/bearer.ts'
import { pathOf } from './http/path.ts'
import { operatorStatus, plainError } from './http/problems.ts'
import { answerSettingsHealth, type CheckedSurface, settingsMistakes } from './http/settings-check.ts'
import * as configuration from './ratelimit/configuration.ts'
import * as counters from './ratelimit/counters.ts'
import { decideJson, healthcheck } from './ratelimit/decision.ts'
import { answerGrpc, isGrpcPath } from './ratelimit/grpc.ts'
import * as operator from './ratelimit/operator.ts'

export { CounterObject } from '../durable-objects/counter.ts'
export { MemcacheObject } from '../durable-objects/memcache.ts'
export { RedisObject } from '../durable-objects/redis.ts'
export { RuleBookObject } from '../durable-objects/rule-book.ts'
export { StatsObject } from '../durable-objects/stats.ts'

/** Where the operator plane stands when `/` belongs to somebody else; it is always there as well. */
const operatorPrefix = '/ratelimit'

type Handler = (call: configuration.Call) => Response | Promise<Response>
type FileHandler = (call: configuration.Call, name: string) => Promise<Response>

/** The operator plane, matched in order; the router sees the path without its prefix and the call as an argument. */
const operatorRoutes = IttyRouter()
route('get', '/', operator.showListing)
route('get', '/rlconfig', operator.showRules)
route('get', '/stats', operator.showStats)
route('get', '/metrics', operator.showMetrics)
route('post', '/explain', operator.explainRequest)
route('get', '/counters', counters.readCounter)
route('put', '/counters', counters.blockCounter)
route('delete', '/counters', counters.resetCounter)
route('get', '/config', configuration.showStatus)
route('get', '/config/files', configuration.showFiles)
route('put', '/config/files', configuration.putFiles)
route('post', '/config/check', configuration.check)
route('post', '/config/rollback', configuration.rollBack)
fileRoute('get', '/config/revisions/:name', configuration.showFiles)
fileRoute('get', '/config/files/:name', configuration.showFile)
fileRoute('put', '/config/files/:name', configuration.putFile)
fileRoute('delete', '/config/files/:name', configuration.removeFile)

/**
 * Answers one request.
 *
 * The decision path is told apart by comparing a few strings; only what is left goes through the router, because a
 * decision costs so little that a router would be seen in it.
 */
async function fetch(request: Request, env: RatelimitEnv, ctx: ExecutionContext): Promise<Response> {
  const path = pathOf(request.url)
  try {
    if (path === '/json') return await decideJson(request, env, ctx)
    if (path === '/healthcheck') return await healthOf(env, ctx)
    if (isGrpcPath(path)) return await answerGrpc(request, path, env, ctx)
    return await answerOperator({ request, url: new URL(request.url), env, ctx })
  } catch (error) {
    loggerOf(env).error(`Cannot answer ${request.method} ${path}`, error)
    return plainError(500, 'Internal Server Error')
  }
}

export default { fetch } satisfies ExportedHandler<RatelimitEnv>

/** What the health of a deployment checks of this surface. */
export const ratelimitSettings: CheckedSurface<RatelimitEnv> = {
  variables: ratelimitVariables,
  read: isolateOf,
}

async function healthOf(env: RatelimitEnv, ctx: ExecutionContext): Promise<Response> {
  const mistakes = settingsMistakes(env, [ratelimitSettings])
  return mistakes.length > 0 ? answerSettingsHealth(mistakes) : healthcheck(env, ctx)
}

/** Unknown paths are 404 to everybody; known ones need the token. */
async function answerOperator(call: configuration.Call): Promise<Response> {
  const path = operatorPath(call.url.pathname, isolateOf(call.env).settings.values.PROMETHEUS_PATH)
  if (path === null) return plainError(404, '404 page not found')
  const refusal = refuseStranger(call)
  if (refusal !== null) return refusal
  try {
    const answer: Response | undefined = await operatorRoutes.fetch(
      { method: call.request.method, url: `http://o${path}` },
      call,
    )
    return answer ?? unknownOperation(path)
  } catch (error) {
    if (error instanceof RatelimitError) return problem(error)
    throw error
  }
}

const operatorPaths = ['/rlconfig', '/stats', '/metrics', '/explain', '/counters', '/config', '/debug']

/** The path as the routes know it; null when it is not the operator plane's. */
function operatorPath(path: string, metricsPath: string): string | null {
  const own = ownPath(path)
  return (own ?? path) === metricsPath ? '/metrics' : own
}

/** The path without the prefix; null when it is not the operator plane's. */
function ownPath(path: string): string | null {
  if (path === operatorPrefix) return '/'
  if (path.startsWith(`${operatorPrefix}/`)) return path.slice(operatorPrefix.length)
  const isOurs = path === '/' || operatorPaths.some((own) => path === own || path.startsWith(`${own}/`))
  return isOurs ? path : null
}

function refuseStranger({ request, env }: configuration.Call): Response | null {
  if (env.ADMIN_TOKEN === undefined || env.ADMIN_TOKEN === '') {
    return plainError(503, 'The operator plane is off: set the secret ADMIN_TOKEN')
  }
  if (hasBearer(request, env.ADMIN_TOKEN)) return null
  const refusal = plainError(401, 'Unauthorized: send Authorization: Bearer ADMIN_TOKEN')
  refusal.headers.set('www-authenticate', 'Bearer realm="ratelimit operator plane"')
  return refusal
}

/** The reference's debug port lists its paths at any it does not know; here that is an error besides. */
function unknownOperation(path: string): Response {
  const known = operator.listing.map((line) => `${line}\n`).join('')
  return plainError(404, `There is no such operation: ${path}, expected one of\n${known}`.trimEnd())
}

function problem(error: RatelimitError): Response {
  const { code, message, hint } = error
  return Response.json({ error: { code, message, hint } }, { status: operatorStatus[code] })
}

// The router's own types are loose: everything that comes out of it is typed again here, and nowhere else.

function route(method: 'get' | 'put' | 'post' | 'delete', path: string, handler: Handler): void {
  operatorRoutes[method]?.(path, (_: unknown, call: configuration.Call) => handler(call))
}

function fileRoute(method: 'get' | 'put' | 'delete', path: string, handler: FileHandler): void {
  operatorRoutes[method]?.(path, ({ params }: { params: { name: string } }, call: configuration.Call) =>
    handler(call, decodeName(params.name)),
  )
}

function decodeName(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    throw new RatelimitError(
      'malformed_request',
      `Cannot read the path: "${name}" is not percent-encoded UTF-8`,
    )
  }
}
