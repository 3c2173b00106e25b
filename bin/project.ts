/** Where the project is on this machine. */

import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Absolute path of the project's root, found from this file, its bundle in `.build` or a test. */
export const projectRoot = findRoot(dirname(fileURLToPath(import.meta.url)))

function findRoot(folder: string): string {
  if (existsSync(join(folder, 'wrangler.toml'))) return folder
  const parent = dirname(folder)
  if (parent === folder) throw new Error('Cannot find the project: no folder above holds wrangler.toml')
  return findRoot(parent)
}
