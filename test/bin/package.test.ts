/** What `npm pack` makes, installed into an empty folder as another project does it. */

import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type BuildOptions, build } from 'esbuild'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { projectRoot } from '../../bin/project.ts'
import manifest from '../../package.json' with { type: 'json' }

const run = promisify(execFile)
const npm = ['--no-audit', '--no-fund', '--offline', '--loglevel=error']
const dependencies = Object.keys(manifest.dependencies)

let folder: string
let files: readonly string[]

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-package-'))
  const { stdout } = await run('npm', ['pack', '--json', '--silent', '--pack-destination', folder], {
    cwd: projectRoot,
    maxBuffer: 4 * 1024 * 1024,
  })
  const [packed] = JSON.parse(stdout) as readonly { filename: string; files: readonly { path: string }[] }[]
  files = packed?.files.map(({ path }) => path) ?? []
  await writeFile(join(folder, 'package.json'), '{ "type": "module", "private": true }\n')
  // The dependencies come from this project's own folder, so that nothing is asked of a registry.
  const local = dependencies.map((name) => join(projectRoot, 'node_modules', name))
  await run('npm', ['install', ...npm, '--ignore-scripts', ...local, join(folder, packed?.filename ?? '')], {
    cwd: folder,
  })
})

afterAll(async () => {
  await rm(folder, { recursive: true, force: true })
})

/** Writes a module into the folder of the other project. */
async function write(name: string, text: string): Promise<void> {
  await writeFile(join(folder, name), text)
}

const use = `import { NetClient, generateStreamId } from 'sluice/streamnet'
import { findOperation } from 'sluice/streamnet/catalogue'
import { insertRecords } from 'sluice/streamnet/operations/records'
const kinds: string = [typeof NetClient, typeof insertRecords, generateStreamId('p1'), findOperation('transfer')?.kind].join(' ')
console.log(kinds)
`
const used = 'function function stf64551fcd6f07823cb87971cfb9144 execute'

describe('the package', () => {
  it('depends on noble and on nothing else', async () => {
    expect(dependencies.sort()).toEqual(['@noble/hashes', '@noble/secp256k1'])
    const installed = JSON.parse(
      await readFile(join(folder, 'node_modules/sluice/package.json'), 'utf8'),
    ) as typeof manifest
    expect(Object.keys(installed.dependencies).sort()).toEqual(dependencies)
  })

  it('holds the client, its licence and its change log, and no source, test or bundle of a service', () => {
    const unexpected = files.filter(
      (path) =>
        !/^(dist\/(base|streamnet)\/.*\.(js|d\.ts)|package\.json|README\.md|LICENSE|CHANGELOG\.md)$/.test(
          path,
        ),
    )
    expect(unexpected).toEqual([])
    expect(files).toContain('dist/streamnet/index.js')
    expect(files).toContain('LICENSE')
  })

  it('has a manifest in which publint finds nothing', async () => {
    const { messages } = await publint({ pkgDir: projectRoot, strict: true, pack: false })
    expect(messages.map((message) => formatMessage(message, manifest))).toEqual([])
  })

  it('is imported with its types and runs in Node', async () => {
    await write('use.ts', use)
    const options =
      '--ignoreConfig --strict --module nodenext --target es2022 --lib es2023,dom --types'.split(' ')
    await run(join(projectRoot, 'node_modules/.bin/tsc'), [...options, '', 'use.ts'], { cwd: folder })
    const { stdout } = await run(process.execPath, ['use.js'], { cwd: folder })
    expect(stdout.trim()).toBe(used)
  })

  it.each([
    { place: 'a browser', options: { platform: 'browser' } },
    { place: 'a Worker', options: { platform: 'neutral', conditions: ['workerd', 'worker', 'browser'] } },
  ] satisfies readonly { readonly place: string; readonly options: BuildOptions }[])(
    'is bundled for $place without a module of Node',
    async ({ options }) => {
      await write('entry.ts', use)
      const { outputFiles } = await build({
        ...options,
        absWorkingDir: folder,
        entryPoints: ['entry.ts'],
        mainFields: ['module', 'main'],
        bundle: true,
        write: false,
        format: 'esm',
        logLevel: 'silent',
      })
      const text = outputFiles?.[0]?.text ?? ''
      expect(text).not.toMatch(/node:/)
      await write('bundled.mjs', text)
      const { stdout } = await run(process.execPath, ['bundled.mjs'], { cwd: folder })
      expect(stdout.trim()).toBe(used)
    },
  )
})
