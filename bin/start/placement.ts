/** Placement of counters under `npm start` and `sluice workerd`: shards, or the objects for each key of an older state. */

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { replaceFile } from '../run/replace-file.mjs'

/** A value of the setting COUNTER_PLACEMENT. */
export type Placement = 'per-key' | 'shard'

/** The placement of a start, and why it is what it is. */
export interface ChosenPlacement {
  readonly placement: Placement
  /** `setting`: asked for; `new`: there were no counters; `kept`: as the counters in the folder are placed. */
  readonly reason: 'setting' | 'new' | 'kept'
}

/** The file in the folder of state that says how its counters are placed. */
export const placementFile = 'counter-placement.json'

/**
 * Chooses the placement, and keeps it for the next start.
 *
 * On one machine all objects share one process, so that an object for every key lets a caller with many keys use up
 * its memory: counters are in shards. The placement decides in which object a counter is, and another one starts all
 * counters anew, those of a month and a year as well. So a folder with counters of a build that asked for an object
 * for each key keeps them there until the setting says otherwise.
 *
 * @param folder - of `--persist`, or the one that `sluice workerd` writes: both have counters in `state`.
 * @param setting - the value of COUNTER_PLACEMENT; undefined when it is not given.
 */
export function choosePlacement(folder: string, setting: string | undefined): ChosenPlacement {
  const chosen = choose(folder, setting)
  replaceFile(join(folder, placementFile), `${JSON.stringify({ placement: chosen.placement })}\n`)
  return chosen
}

function choose(folder: string, setting: string | undefined): ChosenPlacement {
  const asked = setting?.toLowerCase()
  if (asked === 'per-key' || asked === 'shard') return { placement: asked, reason: 'setting' }
  const kept = readPlacement(join(folder, placementFile))
  if (kept !== null) return { placement: kept, reason: 'kept' }
  if (hasCounters(join(folder, 'state/index-CounterObject'))) return { placement: 'per-key', reason: 'kept' }
  return { placement: 'shard', reason: 'new' }
}

function readPlacement(file: string): Placement | null {
  if (!existsSync(file)) return null
  const kept = parsed(file)
  return kept.placement === 'per-key' || kept.placement === 'shard' ? kept.placement : null
}

function parsed(file: string): { readonly placement?: unknown } {
  try {
    return Object(JSON.parse(readFileSync(file, 'utf8')))
  } catch (cause) {
    throw new Error(
      `Cannot read how counters are placed: ${file} is not JSON, expected {"placement":"shard"} or {"placement":"per-key"}`,
      { cause },
    )
  }
}

/** An object without counters leaves a file, too; that there are objects at all is what can be seen from here. */
function hasCounters(folder: string): boolean {
  return existsSync(folder) && readdirSync(folder).some((name) => /^[0-9a-f]{64}\.sqlite$/.test(name))
}
