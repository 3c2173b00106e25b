/** Options of a deployment's statistics, from its settings. */

import type { Isolate } from './adapters/isolate.ts'
import type { StatOptions } from './adapters/stat-sink.ts'

/** Options of statistics from the settings. */
export function statOptions({ settings }: Isolate): StatOptions {
  return { isDisabled: settings.DISABLE_STATS, maxNames: settings.STATS_MAX_NAMES }
}
