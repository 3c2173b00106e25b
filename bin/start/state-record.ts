/** The file of a state folder that says which form its state has, and in which objects its counters are. */

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { replaceFile } from '../run/replace-file.mjs'
import { hasDatabases } from './databases.ts'

/** A value of the setting COUNTER_PLACEMENT. */
export type Placement = 'per-key' | 'shard'

/** Name of the file. */
export const stateRecordFile = 'state.json'

/** Number of the form of state folders. Raise it with a change that an older release cannot read. */
const stateFormat = 1

/** Reads where the counters of a folder are; null for a new folder. */
export function readPlacement(folder: string): Placement | null {
  const placement = readRecord(folder)?.placement
  return placement === 'per-key' || placement === 'shard' ? placement : null
}

/** Writes the file, for the next start. */
export function writeStateRecord(folder: string, placement: Placement): void {
  replaceFile(join(folder, stateRecordFile), `${JSON.stringify({ format: stateFormat, placement })}\n`)
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
