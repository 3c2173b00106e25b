import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { unstable_readConfig } from 'wrangler'
import { projectRoot } from '#bin/project.ts'

const configPath = join(projectRoot, 'wrangler.toml')
/** The part of wrangler's configuration that these rules are about. */
interface Config {
  readonly durable_objects: { readonly bindings: readonly { readonly name: string; readonly class_name: string }[] }
  readonly exports: Readonly<Record<string, { readonly type: string; readonly storage?: string }>>
}

const read = (environment?: string): Config =>
  unstable_readConfig({ config: configPath, ...(environment && { env: environment }) }, { hideWarnings: true })
const top = read()
const environments = ['', 'grid', 'ratelimit', 'streamnet', 'staging']
const index = readFileSync(join(projectRoot, 'workers/index.ts'), 'utf8')

const bindings = (config: Config) =>
  config.durable_objects.bindings.map(({ name, class_name }) => `${name}=${class_name}`)
/** Classes whose state the platform creates. */
const created = ({ exports }: Config) =>
  Object.entries(exports)
    .filter(([, { type, storage }]) => type === 'durable-object' && storage === 'sqlite')
    .map(([name]) => name)

describe('wrangler.toml', () => {
  it('creates exactly the classes that the whole binds', () => {
    const classes = top.durable_objects.bindings.map(({ class_name }) => class_name)
    expect([...created(top)].sort()).toEqual([...new Set(classes)].sort())
  })

  it('exports every bound class from the front door', () => {
    const missing = top.durable_objects.bindings.filter(({ class_name }) => !index.includes(class_name))
    expect(missing).toEqual([])
  })

  it.each(environments)('updates Worker and objects of environment "%s" together', (name) => {
    const strategy = { code_update_strategy: { mode: 'immediate' } }
    expect(read(name).durable_objects).toMatchObject(strategy)
  })

  it.each(environments)('minifies environment "%s" and uploads its source map', (name) => {
    expect(read(name)).toMatchObject({ minify: true, upload_source_maps: true })
  })

  it.each(environments)('keeps the log of environment "%s", without addresses and their queries', (name) => {
    const observability = { enabled: true, logs: { invocation_logs: false } }
    expect(read(name)).toMatchObject({ observability })
  })

  it('has a staging environment that is the whole under another name', () => {
    const staging = read('staging')
    expect([bindings(staging), created(staging)]).toEqual([bindings(top), created(top)])
    expect(staging).toMatchObject({ name: 'sluice-staging', main: expect.stringMatching(/workers\/index\.ts$/) })
  })

  describe.each(['grid', 'ratelimit', 'streamnet'])('environment %s', (environment) => {
    const config = read(environment)

    it('binds a subset of what the whole binds, under the same names', () => {
      expect(bindings(top)).toEqual(expect.arrayContaining(bindings(config)))
      expect(bindings(config).length).toBeGreaterThan(0)
    })

    it('creates the classes it binds and exports them from its own entry', () => {
      const entry = readFileSync(join(projectRoot, `workers/${environment}.ts`), 'utf8')
      const classes = config.durable_objects.bindings.map(({ class_name }) => class_name)
      expect([...created(config)].sort()).toEqual([...new Set(classes)].sort())
      expect(classes.filter((name) => !entry.includes(name))).toEqual([])
    })
  })
})
