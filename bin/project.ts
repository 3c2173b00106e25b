/** Folder of the project on this machine: a clone with sources, or the installed package. */

import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Absolute path of the folder that holds package.json, found from this file, its bundle in `.build` or `dist`, or a test. */
export const projectRoot = findRoot(dirname(fileURLToPath(import.meta.url)))

/** True in the installed package: its bundles are made, and it has neither sources nor the tools that bundle them. */
export const isPackage = !existsSync(join(projectRoot, 'workers'))

/** Absolute path of the bundled Workers: made in a clone when sources have changed, and once for the package. */
export const workersFolder = join(projectRoot, isPackage ? 'dist/workers' : '.build/workers')

function findRoot(folder: string): string {
  if (existsSync(join(folder, 'package.json'))) return folder
  const parent = dirname(folder)
  if (parent === folder) throw new Error('Cannot find the project: no folder above holds package.json')
  return findRoot(parent)
}
