import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { bundlePath, bundleWorkers, type WorkerName } from '#bin/bundle-workers.ts'

beforeAll(() => bundleWorkers(), 60_000)

const inputsOf = (name: WorkerName): readonly string[] =>
  JSON.parse(readFileSync(bundlePath(name).replace(/\.js$/, '.inputs.json'), 'utf8'))

/** Exclusions of each surface's bundle: the other surfaces and the packages that only they need. */
const foreign: Readonly<Record<Exclude<WorkerName, 'index'>, RegExp>> = {
  grid: /^src\/(ratelimit|streamnet|gateway|devnode)\/|^proto-json\/|node_modules\/(@noble\/(?!hashes)|@bufbuild|itty-router)/,
  ratelimit: /^src\/(grid|streamnet|gateway|devnode)\/|node_modules\/(@noble|hono)\//,
  streamnet: /^src\/(grid|ratelimit)\/|^proto-json\/|node_modules\/(@bufbuild|itty-router)\//,
}

describe.each(['grid', 'ratelimit', 'streamnet'] as const)('the bundle of %s', (name) => {
  it('holds its own surface and nothing of the others', () => {
    const inputs = inputsOf(name)
    expect(inputs).toContain(`workers/${name}.ts`)
    expect(inputs.filter((path) => foreign[name].test(path))).toEqual([])
  })
})

describe('every bundle', () => {
  it.each(['index', 'grid', 'ratelimit', 'streamnet'] as const)('%s imports nothing but the platform', (name) => {
    const text = readFileSync(bundlePath(name), 'utf8')
    const outside = [...text.matchAll(/^import .*? from "([^"]+)"/gm)].map((match) => match[1])
    expect(outside.filter((specifier) => !/^(cloudflare|node):/.test(specifier ?? ''))).toEqual([])
  })
})
