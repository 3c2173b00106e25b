/** The metrics of the gateway and of the development node, one behind the other. */

import type { StreamnetEnv } from '../../durable-objects/streamnet/env.ts'
import { isEmbedded } from '../../durable-objects/streamnet/upstream.ts'
import { formatGatewayMetrics } from '../../src/gateway/metrics.ts'
import { readReport } from './adapters/gateway-stats.ts'
import { isNodeOpen, readNodeMetrics } from './node.ts'

/** Writes them; a node that is neither open nor behind the gateway has none. */
export async function metricsText(env: StreamnetEnv): Promise<string> {
  const hasNode = isNodeOpen(env) || isEmbedded(env)
  const [report, node] = await Promise.all([readReport(env), hasNode ? readNodeMetrics(env) : ''])
  return formatGatewayMetrics(report) + node
}
