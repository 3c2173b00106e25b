/** The operator plane: it takes a token, but for the description of the interface. */

import { nearest } from '#base/nearest.ts'
import { shouldRateLimitPath } from '#proto-json/index.ts'
import { RatelimitError } from '#ratelimit/errors.ts'
import { allowedOperator, nameRoute } from '../edge/request-context.ts'
import { refuseStranger } from './access.ts'
import { openIsolate } from './adapters/isolate.ts'
import type { Call } from './call.ts'
import { refusal } from './json-answer.ts'
import { operate, operationsAt, operatorRootOf, operatorRoots } from './operate.ts'
import type { Operation } from './operation.ts'
import { operatorPrefix } from './path.ts'
import { toResponse } from './plain-answer.ts'
import { problemStatus } from './problems.ts'

/** Unknown paths are 404 to every caller; known ones need the token, but for the description of the interface. */
export async function answerOperator(call: Call): Promise<Response> {
  const path = operatorPath(call.url.pathname, openIsolate(call.env).settings.PROMETHEUS_PATH)
  if (path === null) return toResponse(refusal(404, '404 page not found', unknownPathText(call.url.pathname)))
  const isTicketed = path === '/v1/events' && call.url.searchParams.has('ticket')
  const found = operationsAt(path)
  const revealsSecrets = found.some((operation) => operation.revealsSecrets)
  const operator = allowedOperator('ratelimit', call.request, { revealsSecrets })
  const isAllowed = isOpen(found) || isTicketed || operator !== undefined
  const refused = isAllowed ? null : refuseStranger(call.request, call.env)
  if (refused !== null) return refused
  nameRoute(found[0]?.path ?? 'unknown')
  try {
    return await operate(call, path)
  } catch (error) {
    if (!(error instanceof RatelimitError)) throw error
    const { code, message, hint } = error
    return Response.json({ error: { code, message, hint } }, { status: problemStatus[code].http })
  }
}

/** Tells whether one of the operations of a path is open to every caller. */
export function isOpen(found: readonly Operation[]): boolean {
  return found.some((operation) => operation.isOpen)
}

/** Text for an unknown path: the nearest one, or those of the decision path. */
function unknownPathText(path: string): string {
  const shown = JSON.stringify(path.slice(0, 100))
  const near = nearest(path, ['/json', '/healthcheck', shouldRateLimitPath, ...operatorRoots])
  const known = near ?? `/json, /healthcheck or ${shouldRateLimitPath}`
  return `There is no ${shown}, expected ${known}`
}

/** Finds the path as the routes know it; null when it is not the operator plane's. */
export function operatorPath(path: string, metricsPath: string): string | null {
  if (path === operatorPrefix) return '/'
  const isPrefixed = path.startsWith(`${operatorPrefix}/`)
  const own = isPrefixed ? path.slice(operatorPrefix.length) : path
  if (own === metricsPath) return '/metrics'
  return isPrefixed || own === '/' || operatorRoots.has(operatorRootOf(own)) ? own : null
}
