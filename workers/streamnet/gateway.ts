/** The gateway's routes below `/streamnet/v1`; `src/gateway/routes.ts` lists them. */

import type { Context, Hono } from 'hono'
import { metricsType } from '#base/prometheus.ts'
import { assertAllowed } from '#gateway/access.ts'
import { isEntry } from '#gateway/entries.ts'
import { GatewayError } from '#gateway/errors.ts'
import { formatGatewayMetrics } from '#gateway/metrics.ts'
import { basePath, describeGateway } from '#gateway/routes.ts'
import type { StreamnetEnv } from '#objects/streamnet/env.ts'
import { urlOf } from '../edge/request-url.ts'
import { getGatewayState } from './adapters/gateway-state.ts'
import { readReport, reportRequest } from './adapters/gateway-stats.ts'
import { allowedMethods } from './allowed-methods.ts'
import { answering, jsonHeaders } from './answers.ts'
import { authenticate, type Call } from './call.ts'
import { getBlock, getBlocks, getTransaction, getTransactions } from './chain.ts'
import * as jobs from './jobs.ts'
import { describeApi } from './openapi.ts'
import { getOperation, postOperation } from './operations.ts'
import { createTicket, openByTicket, openEvents, type Watched, watched } from './watch.ts'

type App = Hono<{ Bindings: StreamnetEnv }>
/** Headers of public responses that change only with a deployment. */
const openHeaders = {
  'content-type': jsonHeaders['content-type'],
  'x-content-type-options': jsonHeaders['x-content-type-options'],
  'cache-control': 'public, max-age=300',
} as const

type Handler = (call: Call, name: (parameter: string) => string) => Promise<Response>

/** Opens an event stream by a ticket in the address, which a browser sends in the place of a header. */
function watchWithTicket({ place }: Watched) {
  return ({ req, env }: Context<{ Bindings: StreamnetEnv }>, next: () => Promise<void>) => {
    const ticket = req.query('ticket')
    if (ticket === undefined || req.header('authorization') !== undefined) return next()
    return answering(req.raw, () =>
      openByTicket(
        { env, request: req.raw, isolate: getGatewayState(env) },
        place((parameter) => req.param(parameter) ?? ''),
        ticket,
      ),
    )
  }
}

/** Refuses a request whose path does not take its method, or does not exist. */
function refuse({ req, env, executionCtx }: Context<{ Bindings: StreamnetEnv }>): Promise<Response> {
  return answering(req.raw, () => {
    const { request, url } = authenticate(req.raw, env, executionCtx)
    throw makeRefusal(request.method.slice(0, 16), url.pathname, allowedMethods(request.url))
  })
}

function makeRefusal(method: string, pathname: string, allowed: readonly string[]): GatewayError {
  if (allowed.length > 0) {
    return new GatewayError('method_not_allowed', `Cannot answer ${method}: the path takes ${allowed.join(', ')}`)
  }
  return new GatewayError('unknown_operation', `Cannot answer ${method}: there is no path ${pathname.slice(0, 128)}`, {
    hint: `GET ${basePath} lists every operation`,
  })
}

/** Adds the gateway to the surface's app. */
export function mountGateway(app: App): void {
  app.get(basePath, () => Response.json(describeGateway(), { headers: openHeaders }))
  app.get(`${basePath}/openapi.json`, () => Response.json(describeApi(), { headers: openHeaders }))
  route('get', '/metrics', writeMetrics)
  route('get', '/jobs', (call) => jobs.listJobs(call))
  route('get', '/jobs/:id', (call, name) => jobs.showJob(call, name('id')))
  route('get', '/jobs/:id/tx_hashes', (call, name) => jobs.showHashes(call, name('id')))
  route('delete', '/jobs/:id', (call, name) => jobs.cancelJob(call, name('id')))
  route('post', '/jobs/:id/resume', (call, name) => jobs.resumeJob(call, name('id')))
  for (const subject of watched) {
    const { path, operation, place } = subject
    app.get(basePath + path, watchWithTicket(subject))
    route('get', path, (call, name) => openEvents(call, subject, place(name)), operation)
    route('post', `${path}/ticket`, (call, name) => createTicket(call, subject, place(name)))
  }
  route('get', '/blocks', getBlocks, 'list_blocks')
  route('get', '/transactions', getTransactions, 'list_transactions')
  route('get', '/blocks/:height', (call, name) => getBlock(call, name('height')), 'get_block')
  route('get', '/transactions/:hash', (call, name) => getTransaction(call, name('hash')), 'get_transaction')
  // Before the names of operations, of which these are none.
  for (const path of ['/openapi.json', '/metrics', '/jobs', '/blocks', '/transactions'])
    app.post(`${basePath}${path}`, refuse)
  route('get', '/:operation', (call, name) => getOperation(call, name('operation')))
  route('post', '/:operation', (call, name) => postOperation(call, name('operation')))
  app.all(`${basePath}/*`, refuse)

  /** Adds a route; callers without a token may be let in to the operation of its path, or to `openAs`. */
  function route(method: 'get' | 'post' | 'delete', path: string, handler: Handler, openAs?: string): void {
    app[method](`${basePath}${path}`, ({ req, env, executionCtx }) => {
      const name = (parameter: string) => req.param(parameter) ?? ''
      const operation = openAs ?? req.param('operation')
      return answerCaller({ request: req.raw, env, executionCtx, operation }, (call) => handler(call, name))
    })
  }
}

/** Answers an operation by POST without the router, which takes longer; undefined for every other request. */
export function answerPost(
  request: Request,
  env: StreamnetEnv,
  executionCtx: ExecutionContext,
): Promise<Response> | undefined {
  const name = request.method === 'POST' ? plainPath.exec(urlOf(request).pathname)?.[1] : undefined
  if (name === undefined || !isEntry(name)) return undefined
  return answerCaller({ request, env, executionCtx }, (call) => postOperation(call, name))
}

/** The path of an operation in which nothing has to be decoded. */
const plainPath = new RegExp(`^${basePath}/([a-z_]+)$`)

interface Asked {
  readonly request: Request
  readonly env: StreamnetEnv
  readonly executionCtx: Pick<ExecutionContext, 'waitUntil'>
  /** The operation that is asked for, where a caller without a token may be let in. */
  readonly operation?: string | undefined
}

/** Answers a caller who is let in, and counts the answer; all others get a problem, which is not counted. */
async function answerCaller(
  { request, env, executionCtx, operation }: Asked,
  handler: (call: Call) => Promise<Response>,
): Promise<Response> {
  let isLetIn = false
  const response = await answering(request, () => {
    const call = authenticate(request, env, executionCtx, operation)
    isLetIn = true
    return handler(call)
  })
  if (isLetIn) {
    const { pathname } = urlOf(request)
    reportRequest(env, (work) => executionCtx.waitUntil(work), nameOperation(pathname), response.status)
  }
  return response
}

/** First parts of paths of event streams. */
const eventPaths: ReadonlySet<string> = new Set(['streams', 'blocks', 'markets'])
/** First parts of paths that are counted by their own name. */
const counted: ReadonlySet<string> = new Set(['jobs', 'metrics', 'blocks', 'transactions'])

/** Names what a path asks for, with few names for all paths: an operation, `events`, another first part, or `unknown`. */
export function nameOperation(pathname: string): string {
  const [first = '', ...rest] = pathname.slice(basePath.length + 1).split('/')
  if (eventPaths.has(first) && rest.includes('events')) return 'events'
  return counted.has(first) || isEntry(first) ? first : 'unknown'
}

/** `GET /streamnet/v1/metrics`, for a token that may read everything. */
async function writeMetrics({ env, grant }: Call): Promise<Response> {
  assertAllowed(grant, 'read', ['*'])
  const headers = { 'content-type': metricsType, 'cache-control': 'no-store', vary: 'authorization' }
  return new Response(formatGatewayMetrics(await readReport(env)), { headers })
}
