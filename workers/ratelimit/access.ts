/** Access to the operator plane, and the text of its refusals. */

import type { RatelimitEnv } from '#objects/ratelimit/env.ts'
import { hasBearer } from '../edge/bearer.ts'
import { plainError } from './plain-answer.ts'

const right = 'send "Authorization: Bearer TOKEN" with the ADMIN_TOKEN of this service'

/** Refuses a request without the operator's token: 503 where the deployment has none, else 401. Null lets it pass. */
export function refuseStranger(request: Request, env: RatelimitEnv): Response | null {
  if (env.ADMIN_TOKEN === undefined || env.ADMIN_TOKEN === '') {
    return plainError(503, 'The operator plane is off: set the secret ADMIN_TOKEN')
  }
  if (hasBearer(request, env.ADMIN_TOKEN)) return null
  const isToken = /^bearer +\S/i.test(request.headers.get('authorization') ?? '')
  const challenge = `Bearer realm="ratelimit operator plane"${isToken ? ', error="invalid_token"' : ''}`
  const line = `Unauthorized: ${describeProblem(request, env)}; ${right}`
  return plainError(401, line, { 'www-authenticate': challenge })
}

function describeProblem(request: Request, env: RatelimitEnv): string {
  const written = request.headers.get('authorization')?.trim() ?? ''
  const [scheme = '', ...rest] = written.split(/\s+/)
  if (written === '') {
    return request.headers.has('x-api-key')
      ? 'the token is in X-Api-Key, which is not read'
      : 'there is no Authorization header'
  }
  if (scheme.toLowerCase() !== 'bearer') {
    return rest.length === 0
      ? 'the Authorization header does not begin with the word Bearer'
      : 'the Authorization header has another scheme than Bearer'
  }
  if (rest.length === 0) return 'the Authorization header has no token behind the word Bearer'
  const foreign = foreignToken(request, env)
  return foreign === undefined
    ? 'the token is not the one of this service'
    : `the token is the ${foreign} of another surface`
}

/** The secret of another surface in the same deployment that was sent; its owner may know which it is. */
function foreignToken(request: Request, env: RatelimitEnv): string | undefined {
  const all = new Map<string, unknown>(Object.entries(env))
  return ['GRID_TOKEN', 'STREAMNET_TOKEN'].find((name) => {
    const secret = all.get(name)
    return typeof secret === 'string' && hasBearer(request, secret)
  })
}
