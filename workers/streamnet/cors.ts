/** Access of pages of other origins to the gateway and the public port of the node: by header, never with cookies. */

import { parseOrigins } from '#gateway/settings.ts'
import { urlOf } from '../edge/request-url.ts'

/** The setting that names the origins; it is `*` where it is absent. */
interface OriginSetting {
  readonly STREAMNET_ALLOW_ORIGIN?: string
}

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

/** Finds the value of `Access-Control-Allow-Origin`; without one for a refused page, and for callers without `Origin`. */
function findAllowed(request: Request, { STREAMNET_ALLOW_ORIGIN: setting }: OriginSetting) {
  const origins = parseOrigins(setting || '*')
  const isEvery = origins.includes('*')
  const origin = request.headers.get('origin')
  if (origin === null || !(isEvery || origins.includes(origin))) return { isEvery }
  return { isEvery, origin: isEvery ? '*' : origin }
}

/**
 * Answers a preflight, which a browser sends before a page's request and without its token, to be passed through
 * `allowPages` like other answers; undefined otherwise.
 */
export function answerPreflight(request: Request, setting: OriginSetting): Response | undefined {
  const { pathname } = urlOf(request)
  if (request.method !== 'OPTIONS' || !isOpenToPages(pathname)) return undefined
  // Without Origin it is not a browser's: the gateway's router then refuses the method with those that the path takes.
  if (!request.headers.has('origin') && pathname.startsWith('/streamnet/v1')) return undefined
  const isAllowed = findAllowed(request, setting).origin !== undefined
  const headers = { vary: 'Origin, Access-Control-Request-Headers', ...(isAllowed && preflight) }
  return new Response(null, { headers })
}

/** Adds the headers that let a page read an answer, and tell caches that another origin gets another one. */
export function allowPages(request: Request, setting: OriginSetting, response: Response): Response {
  if (!isOpenToPages(urlOf(request).pathname)) return response
  const { isEvery, origin } = findAllowed(request, setting)
  if (isEvery && origin === undefined) return response
  // Headers of an answer that came from an object cannot be changed.
  const open = new Response(response.body, response)
  if (!isEvery) open.headers.append('vary', 'Origin')
  if (origin === undefined) return open
  open.headers.set('access-control-allow-origin', origin)
  open.headers.set('access-control-expose-headers', exposed)
  return open
}

/**
 * Tells whether a request comes from a page of another origin: by `Origin`, or by `Sec-Fetch-Site` where a browser
 * sends no `Origin`, as with an image or a link.
 */
export function isForeignPage(request: Request): boolean {
  const origin = request.headers.get('origin')
  const site = request.headers.get('sec-fetch-site') ?? 'none'
  return (origin !== null && origin !== urlOf(request).origin) || !['none', 'same-origin'].includes(site)
}
