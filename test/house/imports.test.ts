import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { projectRoot } from '#bin/project.ts'
import { type Import, importsOf, sources } from './source.ts'

/** Rules of imports: the first whose folder holds the importer decides. */
const rules: readonly { readonly from: string; readonly may: readonly string[] }[] = [
  { from: 'src/base/yaml/', may: ['src/base/', 'yaml'] },
  { from: 'src/base/', may: ['src/base/', '@noble/hashes/'] },
  { from: 'src/grid/', may: ['src/grid/', 'src/base/', 'zod', 'yaml'] },
  { from: 'src/ratelimit/', may: ['src/ratelimit/', 'src/base/', 'zod', 'yaml'] },
  { from: 'src/limiter/', may: ['src/limiter/', 'src/ratelimit/', 'src/base/', 'proto-json/json.ts', 'hono'] },
  { from: 'src/streamnet/', may: ['src/streamnet/', 'src/base/', '@noble/'] },
  { from: 'src/edge/', may: ['src/edge/', 'src/base/'] },
  { from: 'src/gateway/', may: ['src/gateway/', 'src/streamnet/', 'src/base/', 'zod'] },
  {
    from: 'src/devnode/',
    may: [
      'src/devnode/',
      'src/base/',
      'src/streamnet/types.ts',
      'src/streamnet/ids.ts',
      'src/streamnet/bridge-names.ts',
      'src/streamnet/codec/',
      'src/streamnet/signing/',
      'src/streamnet/rpc/cell.ts',
      'src/streamnet/rpc/codes.ts',
      'src/streamnet/rpc/methods.ts',
      'src/streamnet/rpc/transaction-json.ts',
      '@noble/curves/',
    ],
  },
  {
    from: 'proto-json/',
    may: [
      'proto-json/',
      '@bufbuild/protobuf',
      'src/ratelimit/types.ts',
      'src/ratelimit/quota/messages.ts',
      'src/base/',
    ],
  },
  { from: 'durable-objects/', may: ['durable-objects/', 'src/', 'cloudflare:workers', 'cloudflare:sockets'] },
  {
    from: 'workers/',
    may: [
      'workers/',
      'durable-objects/',
      'src/',
      'proto-json/',
      'hono',
      'itty-router',
      'cloudflare:workers',
      'node:async_hooks',
    ],
  },
  { from: 'console/frame/', may: ['console/frame/', 'src/base/', 'preact', '@preact/signals'] },
  { from: 'console/', may: ['console/', 'src/base/', 'preact', '@preact/signals'] },
]

/** Answers of the services, whose types the console takes: they are gone from its bundle. */
const contract = /^src\/(grid|ratelimit|gateway)\/contract\//

/** The rows of a table in docs/decisions/dependencies.md whose first cells hold packages. */
const rows = readFileSync(join(projectRoot, 'docs/decisions/dependencies.md'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| '))
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .filter(([, first]) => first !== 'package')
  .map(([, names = '', uses = '', reason]) => ({
    packages: names.split(', '),
    places: [...uses.matchAll(/`([\w./-]+)`/g)].map((match) => match[1] ?? ''),
    // The table of what runs has a column more.
    isRunning: reason !== '',
  }))

/** The only places that may import a package, as that page has them. */
const ledger: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  rows
    .filter(({ isRunning }) => isRunning)
    .flatMap(({ packages, places }) => packages.map((name) => [name, places] as const)),
)

const all = sources('src', 'proto-json', 'durable-objects', 'workers', 'console').flatMap(importsOf)
const describeEdge = ({ from, specifier }: Import) => `${from} -> ${specifier}`

describe('imports', () => {
  it('are more than fifty, so that no rule passes on an empty list', () => {
    expect(all.length).toBeGreaterThan(50)
  })

  it('go only where the floor plan allows', () => {
    const forbidden = all.filter(({ from, target, isTypeOnly }) => {
      if (from.startsWith('console/') && isTypeOnly && contract.test(target)) return false
      const rule = rules.find((candidate) => from.startsWith(candidate.from))
      return rule !== undefined && !rule.may.some((allowed) => target.startsWith(allowed))
    })
    expect(forbidden.map(describeEdge)).toEqual([])
  })

  it('reach a package only from the files that the ledger names', () => {
    const forbidden = all.filter(({ from, target }) => {
      const entry = Object.entries(ledger).find(([name]) => target === name || target.startsWith(`${name}/`))
      return entry !== undefined && !entry[1].some((allowed) => from.startsWith(allowed))
    })
    expect(forbidden.map(describeEdge)).toEqual([])
  })

  it('reach every package from every place that docs/decisions/dependencies.md names', () => {
    const unused = Object.entries(ledger).flatMap(([name, places]) =>
      places
        .filter((place) => !all.some(({ from, target }) => from.startsWith(place) && target.startsWith(name)))
        .map((place) => `${name}: ${place}`),
    )
    expect(unused).toEqual([])
    expect(Object.entries(ledger).filter(([, places]) => places.length === 0)).toEqual([])
  })

  it('come from the packages of the manifest, which docs/decisions/dependencies.md lists', () => {
    const manifest = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8'))
    const { dependencies, optionalDependencies, devDependencies } = manifest
    const site = JSON.parse(readFileSync(join(projectRoot, 'site/package.json'), 'utf8')).devDependencies
    const installed = Object.keys({ ...dependencies, ...optionalDependencies, ...devDependencies, ...site })
    expect(rows.flatMap(({ packages }) => packages).sort()).toEqual(installed.sort())
  })

  it('take nothing but types from the domain into proto-json', () => {
    const values = all.filter(
      ({ from, target, isTypeOnly }) =>
        from.startsWith('proto-json/') && target.startsWith('src/ratelimit/') && !isTypeOnly,
    )
    expect(values.map(describeEdge)).toEqual([])
  })

  it('end in .ts when they are ours', () => {
    const bare = all.filter(({ specifier }) => /^[.#]/.test(specifier) && !/\.(tsx?|html|css|json)$/.test(specifier))
    expect(bare.map(describeEdge)).toEqual([])
  })

  it('climb two folders at most, and name another folder of the root by its alias', () => {
    const climbing = [...all, ...sources('bin', 'test', 'bench', 'soak').flatMap(importsOf)].filter(
      ({ from, specifier, target }) =>
        specifier.startsWith('.') &&
        /\.tsx?$/.test(target) &&
        (specifier.startsWith('../../../') || target.split('/')[0] !== from.split('/')[0]),
    )
    expect(climbing.map(describeEdge)).toEqual([])
  })

  it('do not lead from one surface to another', () => {
    const arrows = all.filter(({ from, target }) => {
      const [source, destination] = [surfaceOf(from), surfaceOf(target)]
      return source !== undefined && destination !== undefined && source !== destination
    })
    expect(arrows.map(describeEdge)).toEqual([])
  })

  it('do not lead from the base of the objects or the HTTP of all Workers to a surface', () => {
    const arrows = all.filter(
      ({ from, target }) => /^(durable-objects\/base|workers\/edge)\//.test(from) && surfaceOf(target) !== undefined,
    )
    expect(arrows.map(describeEdge)).toEqual([])
  })

  it('form no cycle, and in the grid none of types either', () => {
    expect(findCycle(all.filter(({ isTypeOnly }) => !isTypeOnly))).toEqual([])
    expect(findCycle(all.filter(({ from }) => from.startsWith('src/grid/')))).toEqual([])
  })

  it('keep the plant and the step from the control centre, and attackers and channel from the step', () => {
    const walls = [
      [/^src\/grid\/control-centre\//, /^src\/grid\/(step|plant|channel|attacks|engine\.ts)/],
      [/^src\/grid\/step\/(?!resume\.ts)/, /^src\/grid\/(channel|attacks|engine\.ts)/],
      [/^src\/grid\/(?!channel\/|engine\.ts)/, /^src\/grid\/channel\//],
    ] as const
    const broken = all.filter(({ from, target }) =>
      walls.some(([inside, outside]) => inside.test(from) && outside.test(target)),
    )
    expect(broken.map(describeEdge)).toEqual([])
  })
})

/** The surface that a file of the objects or the Workers belongs to; the gateway and the node are streamnet's. */
function surfaceOf(path: string): string | undefined {
  return /^(?:durable-objects|workers)\/(grid|ratelimit|streamnet)(?:\/|\.ts)/.exec(path)?.[1]
}

/** Walks the import graph depth first and returns the first cycle as a list of files, or an empty list. */
function findCycle(edges: readonly Import[]): readonly string[] {
  const targets = new Map<string, string[]>()
  for (const { from, target } of edges) targets.set(from, [...(targets.get(from) ?? []), target])
  const done = new Set<string>()
  const visit = (file: string, path: readonly string[]): readonly string[] => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file]
    if (done.has(file)) return []
    for (const target of targets.get(file) ?? []) {
      const cycle = visit(target, [...path, file])
      if (cycle.length > 0) return cycle
    }
    done.add(file)
    return []
  }
  for (const file of targets.keys()) {
    const cycle = visit(file, [])
    if (cycle.length > 0) return cycle
  }
  return []
}
