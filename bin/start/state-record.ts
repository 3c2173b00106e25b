/** The file of a state folder that says which form its state has, and in which objects its counters are. */

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { replaceFile } from '../run/replace-file.mjs'
import { hasDatabases } from './databases.ts'

/** A value of the setting COUNTER_PLACEMENT. */
type Placement = 'per-key' | 'shard'

/**
 * Shards of counters on one machine, where COUNTER_SHARDS is not given. One thread runs all of them, so that more
 * shards divide no work: they divide the hits of one message and of one commit (`bench/native.bench.ts`).
 */
export const localShards = '8'

/** Name of the file. */
export const stateRecordFile = 'state.json'

/** Number of the form of state folders. Raise it with a change that an older release cannot read. */
const stateFormat = 1

/** The placement of a start, and its reason. */
export type ChosenPlacement = ReturnType<typeof choosePlacement>

/**
 * Chooses the placement of counters under `npm start` and `sluice workerd`, and keeps it for the next start.
 *
 * On one machine all objects share one process, so that an object for every key lets a caller with many keys use up
 * its memory: counters are in shards. The placement decides in which object a counter is, and another one starts all
 * counters anew, those of a month and a year as well. So a folder keeps its placement until the setting says otherwise.
 *
 * @param folder - of `--persist`, or the one that `sluice workerd` writes.
 * @param setting - the value of COUNTER_PLACEMENT; undefined when it is not given.
 * @returns with the reason: `setting`, asked for; `new`, there were no counters; `kept`, as those in the folder are placed.
 */
export function choosePlacement(folder: string, setting: string | undefined) {
  const [asked, kept] = [toPlacement(setting?.toLowerCase()), toPlacement(readRecord(folder)?.placement)]
  const reason = asked !== null ? 'setting' : kept !== null ? 'kept' : 'new'
  const placement = asked ?? kept ?? 'shard'
  replaceFile(join(folder, stateRecordFile), `${JSON.stringify({ format: stateFormat, placement })}\n`)
  return { placement, reason } as const
}

function toPlacement(value: unknown): Placement | null {
  return value === 'per-key' || value === 'shard' ? value : null
}

/**
 * Finds out why this release cannot read the state in a folder: a build before the first release, which wrote no such
 * file, or a newer release left it.
 *
 * @returns the end of a sentence for the user; null where this release can read the folder.
 */
export function findFormatMistake(folder: string): string | null {
  const record = readRecord(folder)
  if (record === null) {
    if (!hasDatabases(folder)) return null
    return `${folder} holds state of a build before the first release, expected a new folder: move it away, or name another one`
  }
  if (record.format === stateFormat) return null
  return `${folder} holds state of format ${record.format}, expected format ${stateFormat}: start the release that wrote it, or name another folder`
}

function readRecord(folder: string): { readonly format?: unknown; readonly placement?: unknown } | null {
  const file = join(folder, stateRecordFile)
  if (!existsSync(file)) return null
  try {
    return Object(JSON.parse(readFileSync(file, 'utf8')))
  } catch (cause) {
    throw new Error(
      `Cannot read the state folder: ${file} is not JSON, expected {"format":${stateFormat},"placement":"shard"} or "per-key"`,
      { cause },
    )
  }
}
