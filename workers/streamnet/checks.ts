/** Whether the gateway and the node can answer, for the readiness of a deployment. */

import type { StreamnetEnv } from '../../durable-objects/streamnet/env.ts'
import { createUpstreamClient, isEmbedded } from '../../durable-objects/streamnet/upstream.ts'
import { gatewayIsolateOf } from './adapters/gateway-isolate.ts'
import { isNodeOpen, readNodeHealth } from './node.ts'

/** Milliseconds that the network behind the gateway has to answer. */
const budgetMs = 2_500

/** Throws when callers of the gateway could not be answered; passes where the gateway lets no caller in. */
export async function checkGateway(env: StreamnetEnv): Promise<void> {
  const { grants, publicRead } = gatewayIsolateOf(env)
  // Asking the embedded node makes its object: a deployment that is open to none keeps none.
  if (grants.length === 0 && publicRead === undefined) return
  if (isEmbedded(env)) await assertNodeHealth(env)
  else await createUpstreamClient(env, { budgetMs }).chain()
}

/** Throws when the development node is open and cannot answer. */
export async function checkNode(env: StreamnetEnv): Promise<void> {
  if (isNodeOpen(env)) await assertNodeHealth(env)
}

async function assertNodeHealth(env: StreamnetEnv): Promise<void> {
  const health = await readNodeHealth(env)
  if (!('healthy' in health) || health.healthy !== true) throw new Error('the node is not healthy')
}
