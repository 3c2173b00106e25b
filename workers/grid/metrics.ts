/** The metrics of every simulation of a deployment. */

import { metricsType } from '#base/prometheus.ts'
import { formatGridMetrics } from '#grid/interface/metrics.ts'
import type { GridEnv } from '#objects/grid/env.ts'
import { corsHeaders } from '../edge/cors.ts'
import type { Call } from './call.ts'
import { simulationNames } from './simulations.ts'

/** Collects the metrics of every simulation without waking any. */
export async function metricsText(env: GridEnv): Promise<string> {
  const simulations = await Promise.all(
    (await simulationNames(env)).map(async (name) => ({
      name,
      metrics: await env.SIMULATION.getByName(name).metrics(),
    })),
  )
  return formatGridMetrics(simulations)
}

/** `GET /metrics`. */
export async function writeMetrics({ env }: Pick<Call, 'env'>): Promise<Response> {
  const headers = { 'content-type': metricsType, 'cache-control': 'no-store', ...corsHeaders }
  return new Response(await metricsText(env), { headers })
}
