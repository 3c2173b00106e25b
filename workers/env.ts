/** The bindings of the Worker that holds all three surfaces. */

import type { GridEnv } from '#objects/grid/env.ts'
import type { RatelimitEnv } from '#objects/ratelimit/env.ts'
import type { StreamnetEnv } from '#objects/streamnet/env.ts'

/** Bindings of the combined Worker: those of every surface, and the pages. */
export interface Env extends RatelimitEnv, GridEnv, StreamnetEnv {
  /** Publishers of running simulations as data streams, one object for each. */
  readonly TELEMETRY?: DurableObjectNamespace<import('./telemetry/wiring.ts').TelemetryObject>
}
