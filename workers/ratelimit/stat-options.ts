/** What the settings of a deployment say about its statistics. */

import type { Isolate } from './adapters/isolate.ts'
import type { StatOptions } from './adapters/stat-sink.ts'

/** Objects that statistics are spread over; one is enough until some thousand isolates report. */
export const statShards = 1

/** What the settings say about statistics. */
export function statOptions({ settings }: Isolate): StatOptions {
  return { isDisabled: settings.values.DISABLE_STATS, shards: statShards, maxNames: settings.statNames }
}
