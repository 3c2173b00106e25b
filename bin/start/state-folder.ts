/** The folder that keeps state and secrets: made, kept to its owner, proved writable, and locked. */

import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { LockedError, lockFolder } from './lock.ts'
import { runtimeLeftBehind } from './runtime-record.ts'
import { findFormatMistake } from './state-record.ts'

/**
 * Takes a folder for this process; makes it where it is missing.
 *
 * The folder itself gets its permissions only when this call makes it: one that was there may be a home or a shared
 * folder. In it, state and secrets are kept to their owner.
 *
 * @returns the path absolute, with symbolic links resolved, and a lock where the file system keeps UNIX sockets.
 */
export async function openStateFolder(
  persist: string,
  warn: (line: string) => void,
  addresses: readonly string[] = [],
) {
  const path = prepare(persist)
  assertFormat(path)
  const lock = await lockFolder(path, addresses)
  if (lock === null) {
    warn(
      `Cannot lock ${path}: its file system keeps no UNIX sockets, so a second start on it is not noticed and sluice console has no links`,
    )
  }
  const left = await runtimeLeftBehind(path)
  if (left !== null) {
    throw new LockedError(
      `Cannot start: the state folder ${path} is in use by process ${left}, the runtime of a start that was killed; end it first`,
    )
  }
  keepPrivate(path, warn)
  return { path, lock }
}

/** Checks a folder without writing. */
export function assertStateFolder(persist: string): void {
  let folder = resolve(persist)
  try {
    while (statSync(folder, { throwIfNoEntry: false }) === undefined) folder = dirname(folder)
    readdirSync(folder)
    accessSync(folder, constants.W_OK | constants.X_OK)
  } catch (cause) {
    throw new Error(unwritable(persist, codeOf(cause)), { cause })
  }
  assertFormat(resolve(persist))
}

function assertFormat(folder: string): void {
  if (existsSync(join(folder, 'sluice.capnp'))) {
    throw new Error(
      `Cannot start: ${folder} was written by sluice workerd, expected another folder: a workerd that serves it would count beside this start`,
    )
  }
  const mistake = findFormatMistake(folder)
  if (mistake !== null) throw new Error(`Cannot start: ${mistake}`)
}

function unwritable(persist: string, code: unknown): string {
  return `Cannot start: --persist is "${persist}", which cannot be written (${code}), expected a folder to keep state in`
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : error
}

function prepare(persist: string): string {
  const folder = resolve(persist)
  try {
    makeFolder(folder)
    const path = realpathSync(folder)
    mkdirSync(join(path, 'state'), { recursive: true, mode: 0o700 })
    // Permissions are not enough: the file system may be read-only or full.
    const probe = join(path, `probe-${process.pid}`)
    writeFileSync(probe, 'x')
    rmSync(probe)
    return path
  } catch (error) {
    throw new Error(unwritable(persist, codeOf(error)), { cause: error })
  }
}

/** Makes a folder and those above it. Node's own recursive form never ends below /proc. */
function makeFolder(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return
  if (dirname(folder) !== folder) makeFolder(dirname(folder))
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    // Two starts may make it at the same moment.
    if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) throw error
  }
}

function keepPrivate(path: string, warn: (line: string) => void): void {
  if (process.platform === 'win32') return
  const state = join(path, 'state')
  try {
    if ((statSync(state).mode & 0o077) !== 0) chmodSync(state, 0o700)
  } catch {
    warn(`Cannot make ${state} private: it belongs to another user and others can read it`)
  }
  if ((statSync(path).mode & 0o002) !== 0) {
    warn(`Others can write in ${path} and put their own secrets there: chmod o-w ${JSON.stringify(path)}`)
  }
}
