/** The manifests of examples: by the schemas of Kubernetes, and with the variables, ports and rules of a start. */

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { projectRoot } from '#bin/project.ts'
import { parseStartOptions } from '#bin/start/options.ts'
import { readSettings } from '#ratelimit/settings.ts'
import { checkRules } from '../support/compile-rules.ts'

/** A manifest of any kind, as far as these tests read it. */
interface Manifest {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string }
  readonly data?: Readonly<Record<string, string>>
  readonly spec: {
    readonly ports: readonly { readonly name: string; readonly port: number }[]
    readonly template: { readonly spec: { readonly containers: readonly Container[] } }
  }
}

interface Container {
  readonly args: readonly string[]
  readonly env: readonly { readonly name: string; readonly value?: string }[]
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[]
}

const folder = join(projectRoot, 'examples/kubernetes')
const manifests = readdirSync(folder).flatMap((name) =>
  parseAllDocuments(readFileSync(join(folder, name), 'utf8')).map((document): Manifest => document.toJS()),
)
const schemas = JSON.parse(readFileSync(join(projectRoot, 'test/vectors/kubernetes/schemas.json'), 'utf8'))
const ajv = new Ajv2020({ strict: false, allErrors: true }).addSchema({ $id: 'kubernetes', $defs: schemas.$defs })

function mistakesOf(manifest: Manifest): unknown {
  const valid = ajv.validate({ $ref: `kubernetes#/$defs/${schemas.kinds[manifest.kind]}` }, manifest)
  return valid ? [] : ajv.errors?.map(({ instancePath, message, params }) => [instancePath, message, params])
}

const find = (kind: string): Manifest => {
  const found = manifests.find((manifest) => manifest.kind === kind)
  if (found === undefined) throw new Error(`Cannot find a ${kind}`)
  return found
}

describe('examples/kubernetes', () => {
  it.each(manifests.map((manifest) => [`${manifest.kind} ${manifest.metadata.name}`, manifest] as const))(
    '%s is what the schema of its kind takes',
    (_, manifest) => {
      expect(mistakesOf(manifest)).toEqual([])
    },
  )

  it('the schemas refuse a member that a kind has not, and a value of another type', () => {
    const wrong = { ...find('Service'), spec: { ports: [{ port: '8080' }], selectors: {} } }
    expect(mistakesOf(wrong as unknown as Manifest)).toHaveLength(2)
  })

  it('start with variables that a start reads, on the ports that the service names', () => {
    const [container] = find('Deployment').spec.template.spec.containers
    const env = Object.fromEntries((container?.env ?? []).map(({ name, value = 'x'.repeat(32) }) => [name, value]))
    const options = parseStartOptions(container?.args.slice(1) ?? [], env)
    expect(options?.warnings).toEqual([])
    expect(readSettings(options?.vars ?? {}, true).RUNTIME_WATCH_ROOT).toBe(false)
    const listened = [options?.port, options?.grpcPort, options?.debugPort]
    expect(find('Service').spec.ports.map(({ port }) => port)).toEqual(listened)
    expect(container?.ports.map(({ containerPort }) => containerPort)).toEqual(listened)
  })

  it('bring rules that compile', () => {
    const files = Object.entries(find('ConfigMap').data ?? {}).map(([name, text]) => ({ key: `config.${name}`, text }))
    expect(files.length).toBeGreaterThan(0)
    expect(checkRules(files, { mergeDomains: false }).mistakes).toEqual([])
  })
})
