/**
 * Many services from one bundle in one isolate, each with a separate instance of the bundle's module, a separate `env`,
 * namespaces of objects and a socket: the text of a megabyte is compiled once, and not once for each service.
 */

import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { SocketPlan, WorkerPlan } from '#bin/runtime/configuration.ts'
import { must } from './must.ts'

/** Workers of a process, and which of them answers for each service, in the order of the services. */
export interface PlacedServices {
  readonly workers: readonly WorkerPlan[]
  readonly targets: readonly Pick<SocketPlan, 'service' | 'entrypoint'>[]
}

/** Plans one isolate for each service. */
export function planApart(plans: readonly WorkerPlan[]): PlacedServices {
  return { workers: plans, targets: plans.map(({ name }) => ({ service: name })) }
}

/**
 * Plans one isolate for all services, which are of one bundle.
 *
 * @param folder - where the script is written.
 */
export async function planTogether(plans: readonly WorkerPlan[], folder: string): Promise<PlacedServices> {
  const first = must(plans[0])
  const path = join(folder, 'together.js')
  await writeFile(path, script(await readFile(must(first.modules[0]).path, 'utf8'), plans))
  const name = 'together'
  const worker: WorkerPlan = {
    ...first,
    name,
    modules: [{ name: `${name}.js`, path }],
    objects: plans.flatMap(({ objects }, place) => objects.map((object) => ({ ...object, ...classAt(object, place) }))),
    bindings: plans.flatMap(({ bindings }, place) =>
      bindings.map((binding) => ({
        ...binding,
        name: nameAt(binding.name, place),
        ...('className' in binding && classAt(binding, place)),
      })),
    ),
  }
  return {
    workers: [worker],
    targets: plans.map((_, place) => ({ service: name, entrypoint: nameAt('fetch', place) })),
  }
}

const nameAt = (name: string, place: number) => `${name}_${place}`
const classAt = ({ className }: { readonly className: string }, place: number) => ({
  className: nameAt(className, place),
})

/** The module of all services: the bundle's text in a function, called once for each. */
function script(bundle: string, plans: readonly WorkerPlan[]): string {
  const imports = /^import .*? from "(?:cloudflare|node):.*";$/gm
  const body = bundle.replace(imports, '').replace(/^export \{\n([^}]*)\};$/m, (_, names: string) => {
    return `return {\n${names.replace(/^ {2}(\w+) as (\w+)/gm, '  $2: $1')}};`
  })
  return `${bundle.match(imports)?.join('\n')}
function instantiate() {
'use strict';
${body}
}
${plans.map(instance).join('\n')}
`
}

/** The exports of one service. Its objects are in one isolate with the handler, and get the same environment. */
function instance({ objects, bindings }: WorkerPlan, place: number): string {
  const [service, environment] = [nameAt('service', place), nameAt('environment', place)]
  const members = bindings.map(({ name }) => `${JSON.stringify(name)}: env[${JSON.stringify(nameAt(name, place))}]`)
  const classes = objects.map(
    ({ className }) => `export class ${nameAt(className, place)} extends ${service}.${className} {
  constructor(ctx, env) { super(ctx, ${environment}(env)) }
}`,
  )
  return `const ${service} = instantiate()
let ${nameAt('known', place)}
const ${environment} = (env) => (${nameAt('known', place)} ??= { ${members.join(', ')} })
export const ${nameAt('fetch', place)} = {
  fetch: (request, env, ctx) => ${service}.default.fetch(request, ${environment}(env), ctx),
}
${classes.join('\n')}`
}
