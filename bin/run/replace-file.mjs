/** Writes files that other processes may read at the same moment: a reader sees the old text or the new one, whole. */

import { randomBytes } from 'node:crypto'
import { renameSync, rmSync, writeFileSync } from 'node:fs'

/**
 * Writes a file beside the old one and renames it into place, which replaces the old one in one step.
 *
 * The file is on the same file system because it is in the same folder. A process that is killed in between leaves
 * the old file, and beside it one that ends in `.tmp`.
 *
 * @param {string} path
 * @param {string | Uint8Array} contents
 * @param {{ readonly mode?: number }} [options] - `mode` is that of the new file; that of the old one is not kept.
 * @throws Error of the file system when the folder is missing or cannot be written; then the old file is as it was.
 */
export function replaceFile(path, contents, { mode = 0o644 } = {}) {
  const passing = `${path}.${process.pid}-${randomBytes(4).toString('hex')}.tmp`
  try {
    writeFileSync(passing, contents, { mode, flag: 'wx' })
    renameSync(passing, path)
  } catch (error) {
    rmSync(passing, { force: true })
    throw error
  }
}
