import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { pageModules } from '#bin/bundle-pages.ts'
import { projectRoot } from '#bin/project.ts'
import { codeOf, importsOf, sources } from './source.ts'

const folders = ['src', 'proto-json', 'durable-objects', 'workers', 'bin', 'soak', 'bench', 'console', 'examples']
const all = sources(...folders.filter((folder) => existsSync(join(projectRoot, folder))))
const product = /^(src|proto-json|durable-objects|workers|bin)\//
const edges = new Map(all.map((source) => [source.path, importsOf(source)]))

/** Files at which something begins: Workers, commands, soaks, benches, examples, pages, the public client. */
const entries = [
  ...['index', 'grid', 'ratelimit', 'streamnet', 'mount'].map((name) => `workers/${name}.ts`),
  ...readdirSync(join(projectRoot, 'bin')).map((name) => `bin/${name}`),
  ...all.map(({ path }) => path).filter((path) => /^(soak|bench|examples)\//.test(path)),
  ...all.map(({ path }) => path).filter((path) => /^console\/main\.tsx?$/.test(path)),
  'src/streamnet/index.ts',
  'src/grid/index.ts',
  ...['index', 'hono', 'express', 'fetch', 'testing'].map((name) => `src/limiter/${name}.ts`),
  ...Object.values(pageModules),
]

function reachable(): ReadonlySet<string> {
  const seen = new Set<string>()
  const waiting = [...entries]
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (seen.has(path)) continue
    seen.add(path)
    waiting.push(...(edges.get(path) ?? []).map(({ target }) => target))
  }
  return seen
}

describe('every file of the product', () => {
  it('is reached from a Worker, a command, a page or the public client', () => {
    const seen = reachable()
    expect(seen.size).toBeGreaterThan(300)
    const unreached = all
      .map(({ path }) => path)
      .filter((path) => product.test(path) && !path.endsWith('.d.ts') && !seen.has(path))
    expect(unreached.join('\n')).toBe('')
  })
})

describe('every export of the product', () => {
  // Only tests may import what the file itself uses as well.
  it('is used by the product, but for those of the public client', () => {
    const imported = new Set(all.flatMap(({ path, text }) => namesImportedBy(path, text)))
    const dead = all
      .filter(({ path }) => product.test(path) && !path.startsWith('src/streamnet/') && !entries.includes(path))
      .flatMap(({ path, text }) =>
        [...codeOf(text).matchAll(declaration)]
          .map((match) => match[1] ?? '')
          .filter((name) => !imported.has(`${path}: ${name}`) && !imported.has(`${path}: *`))
          .filter((name) => codeOf(text).split(new RegExp(`\\b${name}\\b`)).length < 3)
          .map((name) => `${path}: ${name}`),
      )
    expect([...new Set(dead)].join('\n')).toBe('')
  })
})

const declaration = /^export (?:async )?(?:abstract )?(?:function\*?|const|class) (\w+)/gm

/** Imports of a file, as `PATH: NAME`; an import of everything is `PATH: *`. */
function namesImportedBy(path: string, text: string): readonly string[] {
  const statement = /^(?:import|export)\s+(?:type\s+)?(\{[^}]*\}|\*(?:\s+as\s+\w+)?)\s*from\s+'([.#][^']+)'/gm
  const dynamic = /import\(\s*'([.#][^']+)'\s*\)/g
  const targetOf = (specifier: string) =>
    (edges.get(path) ?? []).find((edge) => edge.specifier === specifier)?.target ?? ''
  return [
    ...[...text.matchAll(statement)].flatMap(([, clause = '', specifier = '']) => {
      const target = targetOf(specifier)
      if (clause.startsWith('*')) return [`${target}: *`]
      return clause
        .slice(1, -1)
        .split(',')
        .map((name) => `${target}: ${/^\s*(?:type\s+)?(\w+)/.exec(name)?.[1] ?? ''}`)
    }),
    ...[...text.matchAll(dynamic)].map(([, specifier = '']) => `${targetOf(specifier)}: *`),
  ]
}
