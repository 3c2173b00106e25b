/** `/metrics` of a deployment: every surface in one scrape. */

import { formatMetrics, metricsType } from '#base/prometheus.ts'
import type { Surface } from './surface.ts'

/** Answers with all metrics one behind the other; a surface that fails shows as `sluice_surface_up` 0. */
export async function answerDeploymentMetrics<Env extends object>(
  surfaces: readonly Surface<Env>[],
  env: Env,
): Promise<Response> {
  const texts = await Promise.all(surfaces.map(({ metrics }) => metrics(env).catch(() => undefined)))
  const up = formatMetrics([
    {
      name: 'sluice_surface_up',
      type: 'gauge',
      help: 'Whether the metrics of a surface could be read',
      series: surfaces.map(({ name }, index) => ({
        labels: [['surface', name]],
        value: texts[index] === undefined ? 0 : 1,
      })),
    },
  ])
  const body = texts.flatMap((text) => (text === undefined ? [] : [text])).join('') + up
  return new Response(body, { headers: { 'content-type': metricsType, 'cache-control': 'no-store' } })
}
