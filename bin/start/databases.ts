/** The databases of a state folder before anything opens them: those that lost their contents. */

import { closeSync, openSync, readdirSync, readSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** Databases that are not as the runtime left them, each as one sentence. */
export type DatabaseReport = ReturnType<typeof lookAtDatabases>

/** The most files that are looked at in the folder of a class: counters of one object each can be very many. */
const maxLooked = 2_000

/**
 * Looks at every `state/CLASS/ID.sqlite`.
 *
 * The runtime writes the first page of a database before anything else, so that a file without a page lost it. SQLite
 * opens such a file as a new database, and discards its write-ahead log.
 *
 * @param folder - the state folder.
 * @returns mistakes: opening these would discard what their logs hold; and warnings: the contents of these are lost
 * already, or cannot be read.
 */
export function lookAtDatabases(folder: string) {
  const found = listDatabases(join(folder, 'state')).map((path) => ({ path, state: checkState(path) }))
  const inState = (wanted: DatabaseState) => found.flatMap(({ path, state }) => (state === wanted ? [path] : []))
  return {
    mistakes: inState('log only').map(
      (path) =>
        `Cannot start: ${path} is empty and its log ${path}-wal is not, which opening it would discard; put back a copy of both, or remove both, and its object begins anew`,
    ),
    warnings: [
      ...inState('empty').map((path) => `${path} is empty: what its object kept is lost, and the object begins anew`),
      ...inState('foreign').map(
        (path) =>
          `${path} is not a database: its object cannot answer; put back a copy, or remove the file, and the object begins anew`,
      ),
    ],
  }
}

type DatabaseState = 'usable' | 'empty' | 'log only' | 'foreign'

/** Tells whether any object has a database in a folder. */
export function hasDatabases(folder: string): boolean {
  return listDatabases(join(folder, 'state')).length > 0
}

function listDatabases(state: string): readonly string[] {
  return namesIn(state).flatMap((name) => {
    const files = namesIn(join(state, name)).filter((file) => file.endsWith('.sqlite'))
    return files.slice(0, maxLooked).map((file) => join(state, name, file))
  })
}

/** The names in a folder; none where there is no such folder. */
function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function checkState(path: string): DatabaseState {
  const hasLog = measureSize(`${path}-wal`) > 0
  if (measureSize(path) === 0) return hasLog ? 'log only' : 'empty'
  // With a log the first page may be there.
  return hasLog || beginsAsDatabase(path) ? 'usable' : 'foreign'
}

function measureSize(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}

/** The header of SQLite's file format, section 1.3. */
function beginsAsDatabase(path: string): boolean {
  const header = Buffer.alloc(16)
  const file = openSync(path, 'r')
  try {
    readSync(file, header, 0, header.length, 0)
  } finally {
    closeSync(file)
  }
  return header.toString('latin1') === 'SQLite format 3\0'
}
