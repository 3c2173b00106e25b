/** The contents of the packages: dependencies, files, links, manifests, types, and modules that run. */

import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join, posix } from 'node:path'
import { type BuildOptions, build } from 'esbuild'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { describe, expect, it } from 'vitest'
import { projectRoot } from '#bin/project.ts'
// Vitest sets the condition `development`, by which its name leads to TypeScript, which Node reads of no package.
import { checkPackage, createPackageFromTarballData } from '../../../node_modules/@arethetypeswrong/core/dist/index.js'
import manifest from '../../../package.json' with { type: 'json' }
import { dependencies, optional, type Packed, run } from './packed.ts'

const use = `import { NetClient, generateStreamId } from 'sluice/streamnet'
import { findOperation } from 'sluice/streamnet/catalogue'
import { insertRecords } from 'sluice/streamnet/operations/records'
const kinds: string = [typeof NetClient, typeof insertRecords, generateStreamId('p1'), findOperation('transfer')?.kind].join(' ')
console.log(kinds)
`
const used = 'function function stf64551fcd6f07823cb87971cfb9144 execute'

/** Tests what the packages hold. */
export function testContents(packed: Packed): void {
  describe('the package', () => {
    it('depends on noble; the command also on what starts the runtime, in the same version', async () => {
      expect(dependencies).toEqual(['@noble/hashes', '@noble/secp256k1'])
      expect(optional).toEqual(['undici', 'workerd'])
      const read = async (name: string) =>
        JSON.parse(await readFile(join(packed.folder, 'node_modules', name, 'package.json'), 'utf8')) as typeof manifest
      const [library, whole] = [await read('sluice'), await read('sluice-cli')]
      expect(library).toMatchObject({
        version: manifest.version,
        engines: manifest.engines,
        dependencies: manifest.dependencies,
      })
      expect(library.optionalDependencies).toBeUndefined()
      const beside = await readFile(join(packed.folder, 'node_modules/sluice/wrangler.toml'), 'utf8')
      const dateOf = (text: string) => /^compatibility_date = .*$/m.exec(text)?.[0]
      expect(dateOf(beside)).toBe(dateOf(readFileSync(join(projectRoot, 'wrangler.toml'), 'utf8')))
      expect(Object.keys(whole.optionalDependencies).sort()).toEqual(optional)
    })

    it('holds modules with their types; the command its bundles, pages, documents and examples; neither a source or test', () => {
      const held = [
        /^(base|grid|streamnet|ratelimit|limiter)\/.*\.(js|d\.ts)$/,
        /^(package\.json|LICENSE|README\.md|wrangler\.toml)$/,
      ]
      expect(packed.library.files.filter((path) => !held.some((form) => form.test(path)))).toEqual([])
      expect(packed.library.files).toEqual(
        expect.arrayContaining(['streamnet/index.js', 'limiter/index.d.ts', 'LICENSE']),
      )
      const heldByCommand = [
        /^dist\/command\/[\w-]+\.js$/,
        /^dist\/workers\/index\.js(on)?$/,
        /^(bin\/sluice\.mjs|package\.json|LICENSE|([A-Z_]+|bench\/README)\.md)$/,
        /^docs\/([\w-]+|decisions\/[\w-]+|tasks\/[\w-]+)\.md$/,
        /^docs\/images\/[\w-]+\.webp$/,
        /^public\/(lib|console)\/[\w/.-]+$/,
        /^examples\/[\w/.-]+\.(yaml|yml|json|toml|sh|py|rules|ts|js|md|example)$/,
      ]
      expect(packed.command.files.filter((path) => !heldByCommand.some((form) => form.test(path)))).toEqual([])
      expect(packed.command.files).toEqual(expect.arrayContaining(['dist/command/sluice.js', 'LICENSE']))
    })

    it('holds what its documents link to', async () => {
      const pages = packed.command.files.filter((path) => path.endsWith('.md'))
      const links = await Promise.all(
        pages.map(async (page) => {
          const text = await readFile(join(packed.folder, 'node_modules/sluice-cli', page), 'utf8')
          const targets = [...text.matchAll(/\]\((?![a-z]+:|#)([^)#\s]+)/g)].map(([, to = '']) => to)
          return targets.map((to) => posix.join(posix.dirname(page), to))
        }),
      )
      const isHeld = (target: string) =>
        packed.command.files.some((path) => path === target || path.startsWith(`${target}/`))
      const missing = links.flat().filter((target) => !isHeld(target))
      expect(links.flat()).toContain('docs/tour.md')
      expect([...new Set(missing)]).toEqual([])
    })

    it('has manifests in which publint finds nothing', async () => {
      for (const name of ['sluice', 'sluice-cli']) {
        const pkgDir = join(packed.folder, 'node_modules', name)
        const { messages, pkg } = await publint({ pkgDir, strict: true, pack: false })
        expect(messages.map((message) => formatMessage(message, pkg))).toEqual([])
      }
    })

    it('has types in which arethetypeswrong finds nothing, for every kind of importer of ECMAScript modules', async () => {
      const analysis = await checkPackage(createPackageFromTarballData(await readFile(packed.library.tarball)))
      // The package has no CommonJS and no fallback for resolution without `exports`, which Node dropped from use.
      const outside = ['node10', 'node16-cjs']
      const problems = analysis.types === false ? ['no types'] : analysis.problems
      const wrong = problems.filter(
        (problem) =>
          typeof problem === 'string' || !('resolutionKind' in problem) || !outside.includes(problem.resolutionKind),
      )
      expect(wrong).toEqual([])
    })

    it('is imported with its types and runs in Node', async () => {
      await packed.write('use.ts', use)
      const options = '--ignoreConfig --strict --module nodenext --target es2022 --lib es2023,dom --types'.split(' ')
      await run(join(projectRoot, 'node_modules/.bin/tsc'), [...options, '', 'use.ts'], { cwd: packed.folder })
      const { stdout } = await run(process.execPath, ['use.js'], { cwd: packed.folder })
      expect(stdout.trim()).toBe(used)
    })

    it.each([
      { place: 'a browser', options: { platform: 'browser' } },
      { place: 'a Worker', options: { platform: 'neutral', conditions: ['workerd', 'worker', 'browser'] } },
    ] satisfies readonly { readonly place: string; readonly options: BuildOptions }[])(
      'is bundled for $place without a module of Node',
      async ({ options }) => {
        await packed.write('entry.ts', use)
        const { outputFiles } = await build({
          ...options,
          absWorkingDir: packed.folder,
          entryPoints: ['entry.ts'],
          mainFields: ['module', 'main'],
          bundle: true,
          write: false,
          format: 'esm',
          logLevel: 'silent',
        })
        const text = outputFiles?.[0]?.text ?? ''
        expect(text).not.toMatch(/node:/)
        await packed.write('bundled.mjs', text)
        const { stdout } = await run(process.execPath, ['bundled.mjs'], { cwd: packed.folder })
        expect(stdout.trim()).toBe(used)
      },
    )
  })
}
