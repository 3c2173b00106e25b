/** The methods of a path: refusals of others, and preflights. */

import { corsHeaders } from '../edge/cors.ts'
import { problem } from './problems.ts'
import { everyRoute, isAt, type Route } from './routes.ts'

/** Answers 405 for a method that a path lacks; `path` is inside an interface. */
export function refuseMethod({ method, url }: Request, path: string): Response {
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
export function answerPreflight(path: string | undefined): Response {
  const methods = path === undefined ? [] : listMethods(path)
  const isCommon = methods.every((method) => method === 'GET' || method === 'POST')
  const own = isCommon ? {} : { 'access-control-allow-methods': [...methods, 'OPTIONS'].join(', ') }
  return new Response(null, { status: 204, headers: { ...corsHeaders, ...own } })
}
