/** Access to the ports of the development node: the setting that opens it, and its tokens. */

import { type NodeAccess, parseNodeSettings } from '#devnode/settings.ts'
import type { StreamnetEnv } from '#objects/streamnet/env.ts'
import { hasBearer } from '../edge/bearer.ts'
import { allowedOperator } from '../edge/request-context.ts'
import { isForeignPage } from './cors.ts'
import { answerUnknownPath } from './unknown-path.ts'

/** A port of the node: the public one, or the operator's. */
export type NodePort = 'public' | 'admin'

/** Tells whether callers from outside may reach the node. */
export function isNodeOpen(env: StreamnetEnv): boolean {
  return readAccess(env) !== 'off'
}

const accesses = new WeakMap<StreamnetEnv, NodeAccess>()

function readAccess(env: StreamnetEnv): NodeAccess {
  const known = accesses.get(env) ?? parseNodeSettings({ ...env }).access
  accesses.set(env, known)
  return known
}

/**
 * Turns callers away where the node is not open to them. Nothing is asked of the node's object, which would make one:
 * a deployment that opens no node keeps nothing of what strangers send.
 *
 * @returns undefined for a caller who may go on.
 */
export function refuseVisitor(request: Request, env: StreamnetEnv, port: NodePort): Response | undefined {
  if (readAccess(env) === 'off') return answerUnknownPath(request)
  if (port === 'admin') return refuseOperator(request, env)
  const token = env.STREAMNET_NODE_TOKEN
  if (!token || hasBearer(request, token)) return undefined
  return unauthorized()
}

/** Refuses callers of the operator's port without its token: `dev.*` has no other guard. Pages never have it. */
function refuseOperator(request: Request, env: StreamnetEnv): Response | undefined {
  if (isForeignPage(request)) {
    return Response.json({ error: "Cannot answer: the operator's port is not open to pages" }, { status: 403 })
  }
  if (allowedOperator('node', request) !== undefined) return undefined
  const token = env.STREAMNET_ADMIN_TOKEN
  if (!token) {
    const error = "Cannot answer: the operator's port is off, expected the secret STREAMNET_ADMIN_TOKEN"
    return Response.json({ error }, { status: 503 })
  }
  return hasBearer(request, token) ? undefined : unauthorized()
}

function unauthorized(): Response {
  return Response.json(
    { error: 'Cannot answer: the token is missing or wrong, expected Authorization: Bearer <token>' },
    { status: 401, headers: { 'www-authenticate': 'Bearer realm="stream node"' } },
  )
}
