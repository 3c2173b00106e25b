/** The blocks of docs/from-a-worker.md in an empty folder: a limiter in a Worker, its types and its tests. */

import { readFileSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { projectRoot } from '#bin/project.ts'
import manifest from '../../../package.json' with { type: 'json' }
import { installInto } from '../../support/packed-examples.ts'
import { dependencies, online, type Packed, run } from './packed.ts'
import { checkWorkerTypes, development, statuses, withServer, withWrangler } from './wrangler.ts'

/** The blocks of the page, whose projects begin in an empty folder. */
const page = readFileSync(join(projectRoot, 'docs/from-a-worker.md'), 'utf8')
function blockOf(language: string, holds: string): string {
  const blocks = [...page.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(([, kind, text = '']) => ({ kind, text }))
  const found = blocks.find(({ kind, text }) => kind === language && text.includes(holds))
  return found?.text ?? expect.fail(`docs/from-a-worker.md has no ${language} with ${holds}`)
}

const mounted = { 'worker.js': ['js', 'withRules'], 'wrangler.toml': ['toml', 'worker.js'] } as const
const bound = { 'worker.ts': ['ts', 'env.LIMITER.limit'], 'wrangler.toml': ['toml', 'service ='] } as const
const both = ['-c', 'wrangler.toml', '-c', 'node_modules/sluice/wrangler.toml']

/** Tests what the page says, with the packed library. */
export function testFromAWorker(packed: Packed): void {
  /** Writes blocks of the page into an empty folder, with the library and packages of this project. */
  async function project(
    blocks: Readonly<Record<string, readonly [language: string, holds: string]>>,
    ...packages: readonly string[]
  ): Promise<string> {
    const empty = await packed.makeEmpty()
    await writeFile(join(empty, 'package.json'), '{ "private": true, "type": "module" }\n')
    const links = [...dependencies, ...packages].map((name) => join(projectRoot, 'node_modules', name))
    await installInto(empty, [...links, packed.library.tarball])
    for (const [name, [language, holds]] of Object.entries(blocks)) {
      await writeFile(join(empty, name), blockOf(language, holds))
    }
    return empty
  }

  describe('in an empty folder, by the blocks of docs/from-a-worker.md', () => {
    it('a mounted limiter is a module of thirteen lines', () => {
      expect(blockOf('js', 'withRules').trimEnd().split('\n')).toHaveLength(13)
    })

    it('a mounted limiter holds its limit', async () => {
      const at = await project(mounted)
      await withWrangler(at, async (url) => expect(await statuses(url, 4)).toEqual([200, 200, 200, 429]))
    })

    let at: string
    beforeAll(async () => {
      at = await project(bound)
    })

    it('a service binding holds its limit, with the service of the package beside it', async () => {
      await withWrangler(at, async (url) => expect(await statuses(url, 4)).toEqual([200, 200, 200, 429]), ...both)
    })

    it('wrangler types gives the binding its methods', async () => {
      expect(await checkWorkerTypes(at, ...both)).toBe('')
      await writeFile(join(at, 'worker.ts'), blockOf('ts', 'env.LIMITER.limit').replace('{ key:', '{ kye:'))
      expect(await checkWorkerTypes(at, ...both)).toContain("'kye' does not exist in type 'LimitRequest'")
    })

    it('limits hold in tests of vitest: in memory, and of the Worker in the runtime', async () => {
      const tests = {
        'vitest.config.js': ['js', 'cloudflareTest'],
        'worker.test.js': ['js', 'cloudflare:workers'],
        'memory.test.js': ['js', 'createMemoryLimiter'],
      } as const
      const at = await project({ ...mounted, ...tests }, 'vitest', '@cloudflare/vitest-plugin')
      const options = { cwd: at, env: { ...process.env, ...development } }
      // The runtime starts within the first test, which takes longer than vitest's five seconds on a busy machine.
      const command = [join(at, 'node_modules/vitest/vitest.mjs'), 'run', '--testTimeout', '60000']
      const { stdout } = await run(process.execPath, command, options)
      expect(stdout).toMatch(/2 passed[\s\S]*2 passed/)
    })

    it('the plugin of Vite runs the service beside the Worker', async ({ skip }) => {
      const at = await project({ ...bound, 'vite.config.js': ['js', '@cloudflare/vite-plugin'] })
      // The plugin names a release of wrangler exactly; the one of this project has the same interface.
      const { wrangler: release } = manifest.devDependencies
      const { miniflare } = manifest.overrides['@cloudflare/vitest-plugin']
      const { workerd } = manifest.optionalDependencies
      const overrides = { '@cloudflare/vite-plugin': { wrangler: release, miniflare, workerd } }
      const installed = JSON.parse(await readFile(join(at, 'package.json'), 'utf8'))
      await writeFile(join(at, 'package.json'), JSON.stringify({ ...installed, overrides }))
      await online(skip, installInto(at, ['@cloudflare/vite-plugin@1.64.0'], '--prefer-offline'))
      await withServer(at, [join(at, 'node_modules/vite/bin/vite.js'), '--host', '127.0.0.1'], 'VITE', async (url) => {
        expect(await statuses(url, 4)).toEqual([200, 200, 200, 429])
      })
    })
  })
}
