/** The configuration of a folder for workerd: the Worker of all surfaces, with every setting from the environment. */

import type { SettingEffect } from '#ratelimit/setting-table/setting-row.ts'
import { configurationText, pagesService, type SocketPlan } from '../runtime/configuration.ts'
import type { Deployment } from '../runtime/deployment.ts'
import { bindObjects, planObjects } from '../runtime/worker-plan.ts'
import { sections } from '../settings/sections.ts'
import { startVariables } from '../start/start-table.ts'

/** The addresses of workerd, and the lock that keeps a second one away. */
export interface ServingOptions {
  /** As workerd takes it, `HOST:PORT` or `unix:PATH`. */
  readonly address: string
  /** Of two workerds with this address the second one does not start. Null where the system has no such addresses. */
  readonly lock: string | null
  /** True where a proxy in front sets `cf-connecting-ip`; otherwise the field of a request is dropped. */
  readonly hasProxy: boolean
}

/** The part of workerd's message that says why a second one does not start. */
const lockName = 'another workerd serves this folder'

/** Writes the configuration, with paths relative to workerd's folder and objects named as by `npm start`. */
export function folderConfiguration(
  { objects, ...deployment }: Deployment,
  { address, lock, hasProxy }: ServingOptions,
): string {
  const worker = {
    ...deployment,
    name: 'sluice',
    modules: [
      { name: 'entry.js', path: 'entry.js' },
      { name: 'worker.js', path: 'worker.js' },
    ],
    objects: planObjects(objects, 'index'),
    bindings: [
      ...bindObjects(objects),
      { name: 'ASSETS', service: pagesService },
      ...settingNames().map((name) => ({ name, environment: name })),
    ],
  }
  const dropsHeaders = hasProxy ? [] : ['cf-connecting-ip']
  const sockets: readonly SocketPlan[] = [
    // First, because a second workerd ends at the first address in use, with a message that has the socket's name.
    ...(lock === null ? [] : [{ name: lockName, address: lock, service: pagesService }]),
    { name: 'http', address, service: worker.name, dropsHeaders },
  ]
  const text = configurationText({ workers: [worker], sockets, state: 'state', pages: 'pages' })
  return `# Sluice for workerd, written by \`sluice workerd\`. Run in this folder: workerd serve sluice.capnp --experimental\n${text}`
}

/** The names that a Worker reads; others are of the local server. */
function settingNames(): readonly string[] {
  const rows = sections.filter(({ table }) => table !== startVariables).flatMap(({ table }) => Object.entries(table))
  const read = rows.filter(([, row]) => {
    const effect = 'effect' in row ? (row.effect as SettingEffect) : undefined
    return effect === undefined || effect === 'honoured'
  })
  return [...new Set(read.flatMap(([name, { aliases }]) => [name, ...aliases]))]
}
