/** What the settings of a deployment say about its statistics. */

import type { Isolate } from './adapters/isolate.ts'
import type { StatOptions } from './adapters/stat-sink.ts'

/** What the settings say about statistics. */
export function statOptions({ settings }: Isolate): StatOptions {
  return { isDisabled: settings.DISABLE_STATS, maxNames: settings.STATS_MAX_NAMES }
}
