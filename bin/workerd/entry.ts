/** The module that workerd runs first: the Worker and its objects, with only those settings that are set. */

/** Writes the module. workerd gives `null` for an absent variable, which the Worker expects to be absent. */
export function entryScript(classes: readonly string[], defaults: Readonly<Record<string, string>>): string {
  const wrapped = classes.map(
    (name) => `export class ${name} extends worker.${name} {
  constructor(ctx, env) {
    super(ctx, present(env))
  }
}`,
  )
  return `import * as worker from './worker.js'

const defaults = ${JSON.stringify(defaults)}
const known = new WeakMap()

function present(env) {
  if (!known.has(env)) {
    const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== null))
    for (const [name, value] of Object.entries(defaults)) given[name] ||= value
    known.set(env, given)
  }
  return known.get(env)
}

const entry = { fetch: (request, env, ctx) => worker.default.fetch(request, present(env), ctx) }

export { entry as default }

${wrapped.join('\n\n')}
`
}
