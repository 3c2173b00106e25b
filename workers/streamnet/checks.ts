/** Checks of the gateway and the node for the readiness of a deployment. */

import { isOperatorAllowed } from '#edge/operator-tokens.ts'
import type { StreamnetEnv } from '#objects/streamnet/env.ts'
import { createUpstreamClient, isEmbedded } from '#objects/streamnet/upstream.ts'
import { operationsOf } from '../edge/operations-isolate.ts'
import { getGatewayState } from './adapters/gateway-state.ts'
import { readNodeFault } from './node.ts'
import { isNodeOpen } from './node-access.ts'

/** Milliseconds that the network behind the gateway has to answer. */
const budgetMs = 2_500

/** Throws when callers of the gateway could not be answered; passes where the gateway lets no caller in. */
export async function checkGateway(env: StreamnetEnv): Promise<void> {
  const { grants, publicRead } = getGatewayState(env)
  const hasOperators = operationsOf(env).operatorTokens.some(({ scopes }) =>
    isOperatorAllowed(scopes, 'gateway', { isReading: true }),
  )
  // Asking the embedded node makes its object: a deployment that is open to none keeps none.
  if (grants.length === 0 && publicRead === undefined && !hasOperators) return
  if (isEmbedded(env)) await assertNodeTakesWrites(env)
  else await createUpstreamClient(env, { budgetMs }).chain()
}

/** Throws when the development node is open and cannot answer, or takes no transaction. */
export async function checkNode(env: StreamnetEnv): Promise<void> {
  if (isNodeOpen(env)) await assertNodeTakesWrites(env)
}

async function assertNodeTakesWrites(env: StreamnetEnv): Promise<void> {
  const fault = await readNodeFault(env)
  if (fault !== null) throw new Error(fault)
}
