/** The console: the page of every view, its files, and what it shows of the services behind it. */

import { version } from '#base/version.ts'
import { isBrowser } from './front-page.ts'
import { isReading } from './is-reading.ts'
import { urlOf } from './request-url.ts'
import type { CheckedSurface } from './settings-check.ts'

/** The binding to the files of `public`; a Worker without it has no console. */
interface ConsoleEnv {
  readonly ASSETS?: Fetcher
}

/** One service as the console describes it; strangers may read it. */
export interface SurfaceState {
  readonly name: 'ratelimit' | 'grid' | 'streamnet'
  readonly isHealthy: boolean
  /** Problem in words, without any setting's value; null when there is none. */
  readonly reason: string | null
}

/** Tells whether the settings of a surface can be read. */
export function surfaceState<Env>(name: SurfaceState['name'], { read }: CheckedSurface<Env>, env: Env): SurfaceState {
  try {
    read(env)
    return { name, isHealthy: true, reason: null }
  } catch {
    return { name, isHealthy: false, reason: 'invalid settings: see the log' }
  }
}

/** Answers a request for the console; null for every other one, and for programs that ask for `/`. */
export async function answerConsole(
  request: Request,
  { ASSETS: assets }: ConsoleEnv,
  describe: () => Promise<readonly SurfaceState[]>,
): Promise<Response | null> {
  const { pathname } = urlOf(request)
  if (!isConsolePath(pathname)) return null
  if (pathname === '/' && (!isReading(request) || !isBrowser(request) || request.headers.has('authorization')))
    return null
  if (pathname === '/console/session')
    return plain(404, 'There is no sign-in by link here: only "sluice start" has it; give the tokens in the console')
  if (!isReading(request)) return new Response('Method Not Allowed\n', { status: 405, headers: { allow: 'GET, HEAD' } })
  if (pathname === '/console/surfaces.json') {
    // The page asks without a token: one that arrives was added on the way, by an access proxy.
    const hasToken = request.headers.has('authorization')
    const site = { version, hasToken, surfaces: await describe() }
    return Response.json(site, { headers: { ...plainHeaders, 'cache-control': 'no-store' } })
  }
  return answerFile(request, assets)
}

async function answerFile(request: Request, assets: Fetcher | undefined): Promise<Response | null> {
  const { pathname, origin } = urlOf(request)
  if (assets === undefined) return pathname === '/' ? null : answerNotBuilt()
  const isFile = pathname.startsWith('/console/assets/')
  const file = await assets.fetch(new Request(`${origin}${isFile ? pathname : '/console/page'}`))
  if (file.status !== 200 && isFile)
    return plain(404, 'There is no such file: reload the page, it belongs to an earlier version')
  if (file.status !== 200) return pathname === '/' ? null : answerNotBuilt()
  return new Response(request.method === 'HEAD' ? null : file.body, {
    headers: {
      'content-type': file.headers.get('content-type') ?? 'application/octet-stream',
      ...(isFile ? fileHeaders : pageHeaders),
    },
  })
}

function isConsolePath(path: string): boolean {
  return path === '/' || /^\/(console|docs)(\/|$)/.test(path)
}

const plainHeaders = { 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' }

/** The name of a file holds the hash of its content, so it never changes. */
const fileHeaders = { ...plainHeaders, 'cache-control': 'public, max-age=31536000, immutable' }

/** Nothing but the console's own files runs or is asked for, and no other page can frame it. */
const pageHeaders = {
  ...plainHeaders,
  'cache-control': 'no-cache',
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "img-src 'self' data: blob:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join('; '),
  'cross-origin-opener-policy': 'same-origin',
  'x-frame-options': 'DENY',
  vary: 'accept',
}

function answerNotBuilt(): Response {
  return plain(503, 'The console is not here: its files are made by "npm run build" and found by the binding ASSETS')
}

function plain(status: number, text: string): Response {
  const headers = { ...plainHeaders, 'content-type': 'text/plain; charset=utf-8' }
  return new Response(`${text}\n`, { status, headers })
}
