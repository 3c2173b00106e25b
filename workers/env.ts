/** The bindings of the Worker that holds all three surfaces. */

import type { GridEnv } from '#objects/grid/env.ts'
import type { RatelimitEnv } from '#objects/ratelimit/env.ts'
import type { StreamnetEnv } from '#objects/streamnet/env.ts'

/** What the combined Worker is given: every surface's bindings and the pages. */
export interface Env extends RatelimitEnv, GridEnv, StreamnetEnv {
  /** What publishes running simulations as data streams, one object for each. */
  readonly TELEMETRY?: DurableObjectNamespace<import('./telemetry/wiring.ts').TelemetryObject>
}
