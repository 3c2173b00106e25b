/**
 * Four kinds of tests: pure ones in Node, objects in workerd, the built bundle on real sockets, real peers.
 *
 * Pure tests run first, then objects, then the rest, two files at once: tests on sockets mostly wait.
 */

import { existsSync, readFileSync } from 'node:fs'
import { cloudflareTest } from '@cloudflare/vitest-plugin'
import { defineConfig } from 'vitest/config'

const surfaces = [
  'test/workers/**/*.test.ts',
  'test/bin/**/*.test.ts',
  'test/public/**/*.test.ts',
  'test/examples/**/*.test.ts',
]
const peers = ['test/peers/**/*.test.ts']
const objects = ['test/durable-objects/**/*.test.ts']

/**
 * A limit ends a test that hangs. It is not a bound on how fast the product is: beside four programs that hold the
 * processor a start of the runtime takes a minute.
 */
const hangMs = 480_000
// What one file has loaded serves the next, which costs half as much.
const common = {
  isolate: false,
  testTimeout: hangMs,
  hookTimeout: hangMs,
  expect: { poll: { timeout: hangMs / 2, interval: 50 } },
}
// A Node that reads TypeScript (22.18 and later) runs the sources as they are. Where Vitest rewrites them, each use of
// an import costs a look-up: simulations take twice as long.
const inNode = { ...common, experimental: { viteModuleRunner: !process.features.typescript } }

/**
 * Every setting of `.dev.vars`, empty, which counts as absent: that file is for `wrangler dev`, and wrangler would
 * give its settings to the objects of the tests as well.
 */
function withoutDevVars(): Readonly<Record<string, string>> {
  if (!existsSync('.dev.vars')) return {}
  const lines = readFileSync('.dev.vars', 'utf8').matchAll(/^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=/gm)
  return Object.fromEntries([...lines].map(([, name = '']) => [name, '']))
}

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          ...inNode,
          include: ['test/**/*.test.ts'],
          exclude: [...surfaces, ...peers, ...objects],
          maxWorkers: 2,
          sequence: { groupOrder: 0 },
        },
      },
      {
        plugins: [
          cloudflareTest({
            wrangler: { configPath: './wrangler.toml' },
            miniflare: { cf: false, bindings: withoutDevVars() },
          }),
        ],
        test: { name: 'objects', ...common, include: objects, maxWorkers: 1, sequence: { groupOrder: 1 } },
      },
      { test: { name: 'surfaces', ...inNode, include: surfaces, maxWorkers: 3, sequence: { groupOrder: 2 } } },
      { test: { name: 'peers', ...inNode, include: peers, maxWorkers: 3, sequence: { groupOrder: 2 } } },
    ],
  },
})
