/** The folder that workerd serves from: its configuration, the Worker, the pages, and where objects keep their state. */

import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { bundlePath } from '../bundle-workers.ts'
import { projectRoot } from '../project.ts'
import { replaceFile } from '../run/replace-file.mjs'
import { readDeployment } from '../runtime/deployment.ts'
import { pagesScript } from '../runtime/pages.ts'
import { choosePlacement, findFormatMistake, localShards, stateRecordFile } from '../start/state-record.ts'
import { folderConfiguration, type ServingOptions } from './configuration.ts'
import { entryScript } from './entry.ts'

/** Files that this command writes; anything else in a folder is not its own. */
const written = ['sluice.capnp', 'entry.js', 'worker.js', 'pages.js', 'pages', 'state', stateRecordFile]

/** Writes or rewrites the folder; the state in it stays. */
export function writeRuntimeFolder(folder: string, options: Omit<ServingOptions, 'lock'>): void {
  const mistake = findFormatMistake(folder)
  if (mistake !== null) throw new Error(`Cannot write the configuration of workerd: ${mistake}`)
  const foreign = existsSync(folder) ? readdirSync(folder).filter((name) => !written.includes(name)) : []
  if (foreign.length > 0) {
    throw new Error(
      `Cannot write the configuration of workerd: ${folder} holds ${foreign.slice(0, 3).join(', ')}, expected an empty folder`,
    )
  }
  mkdirSync(join(folder, 'state'), { recursive: true, mode: 0o700 })
  rmSync(join(folder, 'pages'), { recursive: true, force: true })
  cpSync(join(projectRoot, 'public'), join(folder, 'pages'), { recursive: true })
  replaceFile(join(folder, 'pages.js'), pagesScript)
  replaceFile(join(folder, 'worker.js'), readFileSync(bundlePath('index'), 'utf8'))
  const deployment = readDeployment('index')
  const classes = deployment.objects.map(({ className }) => className)
  const { placement } = choosePlacement(folder, undefined)
  replaceFile(
    join(folder, 'entry.js'),
    entryScript(classes, { COUNTER_PLACEMENT: placement, COUNTER_SHARDS: localShards }),
  )
  replaceFile(join(folder, 'sluice.capnp'), folderConfiguration(deployment, { ...options, lock: lockAddress(folder) }))
}

/**
 * An abstract address of Linux that belongs to the state of a folder: it ends with its process, however that ends, and
 * every path to the folder leads to the same one. Null elsewhere, where a socket would stay behind and refuse the next
 * workerd.
 */
function lockAddress(folder: string): string | null {
  if (process.platform !== 'linux') return null
  const { dev, ino } = statSync(join(folder, 'state'))
  return `unix-abstract:sluice-state-${dev}-${ino}`
}
