import { describe, expect, it } from 'vitest'
import { type Import, importsOf, sources } from './source.ts'

/** Who may import what: the first rule whose folder holds the importer decides. */
const rules: readonly { readonly from: string; readonly may: readonly string[] }[] = [
  { from: 'src/base/', may: ['src/base/'] },
  { from: 'src/grid/', may: ['src/grid/', 'src/base/', 'zod', 'yaml'] },
  { from: 'src/ratelimit/', may: ['src/ratelimit/', 'src/base/', 'zod', 'yaml'] },
  { from: 'src/streamnet/', may: ['src/streamnet/', 'src/base/', '@noble/'] },
  { from: 'src/gateway/', may: ['src/gateway/', 'src/streamnet/', 'src/base/', 'zod'] },
  {
    from: 'src/devnode/',
    may: [
      'src/devnode/',
      'src/base/',
      'src/streamnet/types.ts',
      'src/streamnet/ids.ts',
      'src/streamnet/codec/',
      'src/streamnet/signing/',
      'src/streamnet/transaction/wire.ts',
      'src/streamnet/rpc/methods.ts',
    ],
  },
  { from: 'proto-json/', may: ['proto-json/', '@bufbuild/protobuf', 'src/ratelimit/types.ts', 'src/base/'] },
  { from: 'durable-objects/', may: ['durable-objects/', 'src/', 'cloudflare:workers', 'cloudflare:sockets'] },
  {
    from: 'workers/',
    may: ['workers/', 'durable-objects/', 'src/', 'proto-json/', 'hono', 'itty-router', 'cloudflare:workers'],
  },
]

/** The only places that may import a package. */
const ledger: Readonly<Record<string, readonly string[]>> = {
  hono: ['workers/grid.ts', 'workers/grid/', 'workers/streamnet.ts', 'workers/streamnet/'],
  'itty-router': ['workers/ratelimit/operations.ts'],
  zod: [
    'src/grid/body-mistakes.ts',
    'src/grid/requests.ts',
    'src/grid/requests/',
    'src/grid/attacks/',
    'src/grid/resume.ts',
    'src/ratelimit/config/document.ts',
    'src/ratelimit/settings.ts',
    'src/gateway/params.ts',
  ],
  '@noble/secp256k1': ['src/streamnet/signing/'],
  '@noble/hashes': ['src/streamnet/'],
  yaml: ['src/ratelimit/config/document.ts', 'src/ratelimit/config/syntax.ts', 'src/grid/scenario.ts'],
  '@bufbuild/protobuf': ['proto-json/'],
}

const all = sources('src', 'proto-json', 'durable-objects', 'workers').flatMap(importsOf)
const describeEdge = ({ from, specifier }: Import) => `${from} -> ${specifier}`

describe('imports', () => {
  it('are found at all', () => {
    expect(all.length).toBeGreaterThan(50)
  })

  it('go only where the floor plan allows', () => {
    const forbidden = all.filter(({ from, target }) => {
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

  it('take nothing but types from the domain into proto-json', () => {
    const values = all.filter(
      ({ from, target, isTypeOnly }) =>
        from.startsWith('proto-json/') && target.startsWith('src/ratelimit/') && !isTypeOnly,
    )
    expect(values.map(describeEdge)).toEqual([])
  })

  it('end in .ts when they are ours', () => {
    const bare = all.filter(({ specifier }) => specifier.startsWith('.') && !/\.(ts|html)$/.test(specifier))
    expect(bare.map(describeEdge)).toEqual([])
  })

  it('form no cycle', () => {
    expect(findCycle(all.filter(({ isTypeOnly }) => !isTypeOnly))).toEqual([])
  })
})

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
