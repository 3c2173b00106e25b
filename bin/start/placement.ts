/** The placement of counters under `npm start` and `sluice workerd`: in shards, unless the folder has it otherwise. */

import { type Placement, readPlacement, writeStateRecord } from './state-record.ts'

/** The placement of a start, and why it is what it is. */
export interface ChosenPlacement {
  readonly placement: Placement
  /** `setting`: asked for; `new`: there were no counters; `kept`: as the counters in the folder are placed. */
  readonly reason: 'setting' | 'new' | 'kept'
}

/**
 * Chooses the placement, and keeps it for the next start.
 *
 * On one machine all objects share one process, so that an object for every key lets a caller with many keys use up
 * its memory: counters are in shards. The placement decides in which object a counter is, and another one starts all
 * counters anew, those of a month and a year as well. So a folder keeps its placement until the setting says otherwise.
 *
 * @param folder - of `--persist`, or the one that `sluice workerd` writes.
 * @param setting - the value of COUNTER_PLACEMENT; undefined when it is not given.
 */
export function choosePlacement(folder: string, setting: string | undefined): ChosenPlacement {
  const chosen = choose(folder, setting)
  writeStateRecord(folder, chosen.placement)
  return chosen
}

function choose(folder: string, setting: string | undefined): ChosenPlacement {
  const asked = setting?.toLowerCase()
  if (asked === 'per-key' || asked === 'shard') return { placement: asked, reason: 'setting' }
  const kept = readPlacement(folder)
  return kept === null ? { placement: 'shard', reason: 'new' } : { placement: kept, reason: 'kept' }
}
