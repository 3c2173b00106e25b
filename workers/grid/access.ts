/** Access to a simulation: the right of a caller, and the requests that it covers. */

import { covers, hasRestrictedTokens, type Right, rightOfTicket, visibilityOf } from '#grid/rights.ts'
import type { GridEnv } from '#objects/grid/env.ts'
import { hasBearer } from '../edge/bearer.ts'
import { identify } from '../edge/operator.ts'
import { allowedOperator } from '../edge/request-context.ts'
import { type AdmittedCall, findSettings, query } from './call.ts'
import { gridStatus, json, problem } from './problems.ts'
import { everyRoute, isAt } from './routes.ts'
import { isKnown } from './simulations.ts'

/** A call whose caller is not known yet. */
export type Asked = Omit<AdmittedCall, 'right'>

/** Finds the right of a caller by a token or a ticket; undefined without one. A token of GRID_ROLES opens its simulation only. */
export async function findRight(asked: Asked, path: string): Promise<Right | undefined> {
  const { request, url, env, name, simulation } = asked
  const { GRID_AUTH: isEnforced, GRID_ROLES: roles } = findSettings(env)
  if (!isEnforced) return 'operator'
  const role = roles.length === 0 ? undefined : (await identify(request, roles))?.owner
  if (role !== undefined) return role.simulation === name ? role.right : undefined
  if (hasBearer(request, env.GRID_TOKEN) || allowedOperator('grid', request) !== undefined) return 'operator'
  const ticket = path === '/events' && request.method === 'GET' ? query(url, 'ticket') : undefined
  if (ticket === undefined || !(await isKnown(env, name))) return undefined
  return (await simulation.takeTicket(ticket)) ? rightOfTicket(ticket) : undefined
}

/** The right of any caller to the public status: all of it, unless tokens of the simulation see its control room only. */
export async function findPublicRight(asked: Asked, path: string): Promise<Right> {
  if (!hasRestrictedTokens(findSettings(asked.env).GRID_ROLES, asked.name)) return 'operator'
  return (await findRight(asked, path)) ?? 'viewer'
}

/** Tests that a right covers a request; a path that is not in the table of routes needs the right of an operator. */
export function mayCall(right: Right, { method }: Request, { searchParams }: URL, path: string): boolean {
  const routed = method === 'HEAD' ? 'GET' : method
  const route = everyRoute.find((one) => one.method === routed && isAt(one, path))
  if (!covers(right, route?.right ?? 'operator')) return false
  if (visibilityOf(right) === 'full') return true
  return Object.entries(route?.controlRoomQuery ?? {}).every(([name, allowed]) =>
    searchParams
      .getAll(name)
      .flatMap((value) => value.split(','))
      .map((word) => word.trim().toLowerCase())
      .every((word) => word === '' || allowed.includes(word)),
  )
}

/** Refuses a request that a right does not cover; the answer is the same for all of them. */
export function forbid(): Response {
  const hint = 'This token has a right of GRID_ROLES that does not cover the request'
  return problem('forbidden', 'Forbidden', hint)
}

/** Query parameters in which people try to send the token; it would end up in logs and histories. */
const tokenParameters = ['token', 'access_token', 'api_key', 'apikey', 'key', 'auth']

/** Refuses a caller without a right. The contract fixes `error` and the words of `hint`, and allows `detail` beside them. */
export function refuseUnauthorized(url: URL, { GRID_TOKEN }: GridEnv): Response {
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
