/** The configuration of workerd: the Worker with its objects, its pages, and every setting from the environment. */

import { normaliseDurableObject } from 'miniflare'
import type { SettingEffect } from '#ratelimit/setting-table/setting-row.ts'
import type { Deployment } from '../deployment.ts'
import { sections } from '../settings/sections.ts'
import { startVariables } from '../start/start-table.ts'

/** The addresses of workerd, and the lock that keeps a second one away. */
export interface ServingOptions {
  /** As workerd takes it, `HOST:PORT` or `unix:PATH`. */
  readonly address: string
  /**
   * Of two workerds with this address the second one does not start; its message has the address. Null where the
   * system has no such addresses.
   */
  readonly lock: string | null
  /** True where a proxy in front sets `cf-connecting-ip`; otherwise the field of a request is dropped. */
  readonly hasProxy: boolean
}

/**
 * Writes the configuration in workerd's own language. Its paths are relative to the folder that workerd runs in.
 *
 * Objects keep their state under the names that `npm start` gives them.
 */
export function configurationText(
  { durableObjects = {}, compatibilityDate, compatibilityFlags = [] }: Deployment,
  { address, lock, hasProxy }: ServingOptions,
): string {
  const objects = objectsOf(durableObjects)
  const namespaces = objects.map(
    ({ className }) =>
      `        (className = ${text(className)}, uniqueKey = ${text(`index-${className}`)}, enableSql = true),`,
  )
  const bindings = [
    ...objects.map(
      ({ binding, className }) => `(name = ${text(binding)}, durableObjectNamespace = ${text(className)})`,
    ),
    '(name = "ASSETS", service = "pages")',
    ...settingNames().map((name) => `(name = ${text(name)}, fromEnvironment = ${text(name)})`),
  ].map((binding) => `        ${binding},`)
  const dropped = hasProxy ? '' : 'injectRequestHeaders = [(name = "cf-connecting-ip")]'
  const sockets = [
    // First, so that its message is the one of a second workerd.
    ...(lock === null ? [] : [`    (name = "lock", address = ${text(lock)}, http = (), service = "pages"),`]),
    `    (name = "http", address = ${text(address)}, http = (${dropped}), service = "sluice"),`,
  ]
  return `# Sluice for workerd, written by \`sluice workerd\`. Run in this folder: workerd serve sluice.capnp --experimental
using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "state", disk = (path = "state", writable = true)),
    (name = "files", disk = (path = "pages")),
    (name = "internet", network = (allow = ["public", "private"], tlsOptions = (trustBrowserCas = true))),
    (name = "pages", worker = (
      modules = [(name = "pages.js", esModule = embed "pages.js")],
      compatibilityDate = ${text(compatibilityDate ?? '')},
      bindings = [(name = "files", service = "files")],
    )),
    (name = "sluice", worker = (
      modules = [
        (name = "entry.js", esModule = embed "entry.js"),
        (name = "worker.js", esModule = embed "worker.js"),
      ],
      compatibilityDate = ${text(compatibilityDate ?? '')},
      compatibilityFlags = [${compatibilityFlags.map(text).join(', ')}],
      durableObjectNamespaces = [
${namespaces.join('\n')}
      ],
      durableObjectStorage = (localDisk = "state"),
      bindings = [
${bindings.join('\n')}
      ],
    )),
  ],
  sockets = [
${sockets.join('\n')}
  ],
);
`
}

/** The classes of Durable Objects with their bindings. */
export function objectsOf(
  objects: NonNullable<Deployment['durableObjects']>,
): readonly { readonly binding: string; readonly className: string }[] {
  return Object.entries(objects).map(([binding, designator]) => ({
    binding,
    className: normaliseDurableObject(designator).className,
  }))
}

/** Cap'n Proto's texts are written as those of JSON for names, numbers and addresses. */
const text = (value: string): string => JSON.stringify(value)

/** The names that a Worker reads; others are of the local server. */
function settingNames(): readonly string[] {
  const rows = sections
    .filter(({ table }) => table !== startVariables)
    .flatMap(({ table }) => Object.entries(table))
  const read = rows.filter(([, row]) => {
    const effect = 'effect' in row ? (row.effect as SettingEffect) : undefined
    return effect === undefined || effect.kind === 'honoured'
  })
  return [...new Set(read.flatMap(([name, { aliases }]) => [name, ...aliases]))]
}
