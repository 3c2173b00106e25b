/** GatewayStatsObject: what the isolates of the gateway counted, added up. */

import { DurableObject } from 'cloudflare:workers'
import { addReport, emptyReport, type GatewayReport } from '#gateway/metrics.ts'
import type { StreamnetEnv } from './env.ts'

/** The one sum of a deployment, kept in memory: counters of a monitoring system may begin again at zero. */
export class GatewayStatsObject extends DurableObject<StreamnetEnv> {
  readonly #sum = emptyReport()

  add(report: GatewayReport): void {
    addReport(this.#sum, report)
  }

  read(): GatewayReport {
    return this.#sum
  }
}
