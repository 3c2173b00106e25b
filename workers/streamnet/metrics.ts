/** The metrics of the gateway, then those of the development node. */

import { formatGatewayMetrics } from '#gateway/metrics.ts'
import type { StreamnetEnv } from '#objects/streamnet/env.ts'
import { isEmbedded } from '#objects/streamnet/upstream.ts'
import { readReport } from './adapters/gateway-stats.ts'
import { readNodeMetrics } from './node.ts'
import { isNodeOpen } from './node-access.ts'

/** Writes both as Prometheus text; the node's part only where it is open, or the gateway reads it. */
export async function metricsText(env: StreamnetEnv): Promise<string> {
  const hasNode = isNodeOpen(env) || isEmbedded(env)
  const [report, node] = await Promise.all([readReport(env), hasNode ? readNodeMetrics(env) : ''])
  return formatGatewayMetrics(report) + node
}
