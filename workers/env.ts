/** The bindings of the Worker that holds all three surfaces. */

import type { GridEnv } from '#objects/grid/env.ts'
import type { RatelimitEnv } from '#objects/ratelimit/env.ts'
import type { StreamnetEnv } from '#objects/streamnet/env.ts'

/** Bindings of the combined Worker: those of every surface. */
export interface Env extends RatelimitEnv, GridEnv, StreamnetEnv {}
