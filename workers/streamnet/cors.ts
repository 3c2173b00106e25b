/** Access of pages of other origins to the gateway and the public port of the node: by header, never with cookies. */

import { parseOrigins } from '#gateway/settings.ts'
import type { StreamnetEnv } from '#objects/streamnet/env.ts'
import { urlOf } from '../edge/request-url.ts'

const preflight = {
  'access-control-allow-methods': 'GET, HEAD, POST, DELETE, OPTIONS',
  'access-control-allow-headers':
    'Authorization, Content-Type, Idempotency-Key, If-None-Match, Last-Event-ID, Cache-Control',
  'access-control-max-age': '86400',
} as const
const exposed = 'ETag, Location, Retry-After, WWW-Authenticate, X-Cache, Idempotency-Replayed'

/**
 * Tells whether pages may use a path: `/rpc/v1`, and `/streamnet/v1` and `/streamnet/node` with all below them, but not
 * the operator's port of the node, `/streamnet/admin`.
 */
function isOpenToPages(pathname: string): boolean {
  return /^\/(streamnet\/(v1|node)(\/|$)|rpc\/v1$)/.test(pathname)
}

/** The value of `Access-Control-Allow-Origin` by `STREAMNET_ALLOW_ORIGIN`; undefined where nothing is sent. */
function allowedOrigin(request: Request, { STREAMNET_ALLOW_ORIGIN: setting }: StreamnetEnv): string | undefined {
  const origin = request.headers.get('origin')
  if (origin === null) return undefined
  const allowed = parseOrigins(setting || '*')
  if (allowed.includes('*')) return '*'
  return allowed.includes(origin) ? origin : undefined
}

/** Answers a preflight, which a browser sends before a page's request and without its token; undefined otherwise. */
export function answerPreflight(request: Request, env: StreamnetEnv): Response | undefined {
  const { pathname } = urlOf(request)
  if (request.method !== 'OPTIONS' || !isOpenToPages(pathname)) return undefined
  // Without Origin it is not a browser's: the gateway's router then refuses the method with those that the path takes.
  if (!request.headers.has('origin') && pathname.startsWith('/streamnet/v1')) return undefined
  const origin = allowedOrigin(request, env)
  const headers = { vary: 'Origin, Access-Control-Request-Headers', ...(origin !== undefined && preflight) }
  return withOrigin(new Response(null, { headers }), origin)
}

/** Adds the headers that let a page read an answer. */
export function allowPages(request: Request, env: StreamnetEnv, response: Response): Response {
  if (!request.headers.has('origin') || !isOpenToPages(urlOf(request).pathname)) return response
  return withOrigin(response, allowedOrigin(request, env))
}

function withOrigin(response: Response, origin: string | undefined): Response {
  if (origin === undefined) return response
  // Headers of an answer that came from an object cannot be changed.
  const open = new Response(response.body, response)
  open.headers.set('access-control-allow-origin', origin)
  open.headers.set('access-control-expose-headers', exposed)
  if (origin !== '*') open.headers.append('vary', 'Origin')
  return open
}

/** Tells whether a request comes from a page of another origin, by `Origin`, or `Sec-Fetch-Site` for a GET. */
export function isForeignPage(request: Request): boolean {
  const origin = request.headers.get('origin')
  const site = request.headers.get('sec-fetch-site') ?? 'none'
  return (origin !== null && origin !== urlOf(request).origin) || !['none', 'same-origin'].includes(site)
}
