/**
 * Four kinds of tests: pure ones in Node, objects in workerd, the built bundle on real sockets, real peers.
 *
 * Pure tests run first, then objects, then the rest, two files at once: tests on sockets mostly wait.
 */

import { cloudflareTest } from '@cloudflare/vitest-pool-workers'
import { defineConfig } from 'vitest/config'

const surfaces = [
  'test/workers/**/*.test.ts',
  'test/bin/**/*.test.ts',
  'test/public/**/*.test.ts',
  'test/examples/**/*.test.ts',
]
const peers = ['test/peers/**/*.test.ts']
const objects = ['test/durable-objects/**/*.test.ts']

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          // Pure modules keep no state: what one file has loaded serves the next, in half the time.
          isolate: false,
          include: ['test/**/*.test.ts'],
          exclude: [...surfaces, ...peers, ...objects],
          // Properties and corpora run for seconds on a busy machine.
          testTimeout: 60_000,
          maxWorkers: 2,
          sequence: { groupOrder: 0 },
        },
      },
      {
        plugins: [cloudflareTest({ wrangler: { configPath: './wrangler.toml' }, miniflare: { cf: false } })],
        test: {
          name: 'objects',
          include: objects,
          testTimeout: 60_000,
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: 'surfaces',
          include: surfaces,
          testTimeout: 60_000,
          hookTimeout: 60_000,
          maxWorkers: 2,
          sequence: { groupOrder: 2 },
        },
      },
      {
        test: {
          name: 'peers',
          include: peers,
          testTimeout: 120_000,
          hookTimeout: 120_000,
          maxWorkers: 2,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
})
