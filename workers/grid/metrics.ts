/** The metrics of every simulation of a deployment. */

import { metricsType } from '../../src/base/prometheus.ts'
import { formatGridMetrics } from '../../src/grid/interface/metrics.ts'
import { corsHeaders } from '../http/cors.ts'
import type { Call } from './call.ts'
import { simulationNames } from './simulations.ts'

/** `GET /metrics`: asks every simulation, which wakes none of them. */
export async function writeMetrics({ env }: Pick<Call, 'env'>): Promise<Response> {
  const simulations = await Promise.all(
    (await simulationNames(env)).map(async (name) => ({
      name,
      metrics: await env.SIMULATION.getByName(name).metrics(),
    })),
  )
  const headers = { 'content-type': metricsType, 'cache-control': 'no-store', ...corsHeaders }
  return new Response(formatGridMetrics(simulations), { headers })
}
