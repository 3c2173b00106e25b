/** The packed files, installed into an empty folder as another project does it. */

import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { copyFile, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, posix } from 'node:path'
import { promisify } from 'node:util'
import { type BuildOptions, build } from 'esbuild'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { parse } from 'yaml'
import { projectRoot } from '#bin/project.ts'
import { NetClient } from '#streamnet/index.ts'
// Vitest sets the condition `development`, by which its name leads to TypeScript, which Node reads of no package.
import { checkPackage, createPackageFromTarballData } from '../../node_modules/@arethetypeswrong/core/dist/index.js'
import manifest from '../../package.json' with { type: 'json' }
import { startBundle } from '../support/bundle.ts'
import { startLoopbackServer } from '../support/loopback-server.ts'
import { offline } from '../support/offline.ts'
import { foreignPackages, installExample, installInto } from '../support/packed-examples.ts'
import { expectCommand, readCommands, startForCommands, taskPages } from '../support/page-commands.ts'
import { findProgram, freePort, startProgram, waitFor } from '../support/process.ts'

const run = promisify(execFile)
const npm = ['--no-audit', '--no-fund', '--offline', '--loglevel=error']
const dependencies = Object.keys(manifest.dependencies)
const optional = Object.keys(manifest.optionalDependencies)

let folder: string
/** The library, which other projects import. */
let tarball: string
let files: readonly string[]
/** The command with the runtime. */
let cli: string
let commandFiles: readonly string[]

/** Packs a folder, and returns the file with what it holds. */
async function pack(place: string): Promise<{ readonly tarball: string; readonly files: readonly string[] }> {
  const { stdout } = await run('npm', ['pack', place, '--json', '--silent', '--pack-destination', folder], {
    cwd: projectRoot,
    maxBuffer: 4 * 1024 * 1024,
  })
  const [packed] = JSON.parse(stdout) as readonly { filename: string; files: readonly { path: string }[] }[]
  return { tarball: join(folder, packed?.filename ?? ''), files: packed?.files.map(({ path }) => path) ?? [] }
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-package-'))
  // Packing the command builds both.
  ;({ tarball: cli, files: commandFiles } = await pack('.'))
  ;({ tarball, files } = await pack('./dist/library'))
  await writeFile(join(folder, 'package.json'), '{ "type": "module", "private": true }\n')
  // The dependencies come from this project's own folder, so that nothing is asked of a registry.
  const local = [...dependencies, ...optional].map((name) => join(projectRoot, 'node_modules', name))
  await run('npm', ['install', ...npm, '--ignore-scripts', ...local, tarball, cli], { cwd: folder })
})

const empties: string[] = []

/** Makes a folder with no packages above it, in which another project begins. */
async function makeEmpty(): Promise<string> {
  const empty = await mkdtemp(join(tmpdir(), 'sluice-empty-'))
  empties.push(empty)
  await writeFile(join(empty, 'package.json'), '{ "private": true }\n')
  return empty
}

afterAll(async () => {
  for (const made of [folder, ...empties]) await rm(made, { recursive: true, force: true })
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
  it('depends on noble; the command also on what starts the runtime, in the same version', async () => {
    expect(dependencies.sort()).toEqual(['@noble/hashes', '@noble/secp256k1'])
    expect(optional.sort()).toEqual(['undici', 'workerd'])
    const read = async (name: string) =>
      JSON.parse(await readFile(join(folder, 'node_modules', name, 'package.json'), 'utf8')) as typeof manifest
    const [library, whole] = [await read('sluice'), await read('sluice-cli')]
    expect(library).toMatchObject({
      version: manifest.version,
      engines: manifest.engines,
      dependencies: manifest.dependencies,
    })
    expect(library.optionalDependencies).toBeUndefined()
    const beside = await readFile(join(folder, 'node_modules/sluice/wrangler.toml'), 'utf8')
    const dateOf = (text: string) => /^compatibility_date = .*$/m.exec(text)?.[0]
    expect(dateOf(beside)).toBe(dateOf(readFileSync(join(projectRoot, 'wrangler.toml'), 'utf8')))
    expect(Object.keys(whole.optionalDependencies).sort()).toEqual(optional)
  })

  it('holds modules with their types; the command its bundles, pages, documents and examples; neither a source or test', () => {
    const held = [
      /^(base|grid|streamnet|ratelimit|limiter)\/.*\.(js|d\.ts)$/,
      /^(package\.json|LICENSE|README\.md|wrangler\.toml)$/,
    ]
    expect(files.filter((path) => !held.some((form) => form.test(path)))).toEqual([])
    expect(files).toEqual(expect.arrayContaining(['streamnet/index.js', 'limiter/index.d.ts', 'LICENSE']))
    const heldByCommand = [
      /^dist\/command\/[\w-]+\.js$/,
      /^dist\/workers\/index\.js(on)?$/,
      /^(bin\/sluice\.mjs|package\.json|LICENSE|([A-Z_]+|bench\/README)\.md)$/,
      /^docs\/([\w-]+|decisions\/[\w-]+|tasks\/[\w-]+)\.md$/,
      /^docs\/images\/[\w-]+\.webp$/,
      /^public\/(lib|console)\/[\w/.-]+$/,
      /^examples\/[\w/.-]+\.(yaml|yml|json|toml|sh|py|rules|ts|js|md|example)$/,
    ]
    expect(commandFiles.filter((path) => !heldByCommand.some((form) => form.test(path)))).toEqual([])
    expect(commandFiles).toEqual(expect.arrayContaining(['dist/command/sluice.js', 'LICENSE']))
  })

  it('holds what its documents link to', async () => {
    const pages = commandFiles.filter((path) => path.endsWith('.md'))
    const links = await Promise.all(
      pages.map(async (page) => {
        const text = await readFile(join(folder, 'node_modules/sluice-cli', page), 'utf8')
        const targets = [...text.matchAll(/\]\((?![a-z]+:|#)([^)#\s]+)/g)].map(([, to = '']) => to)
        return targets.map((to) => posix.join(posix.dirname(page), to))
      }),
    )
    const isHeld = (target: string) => commandFiles.some((path) => path === target || path.startsWith(`${target}/`))
    const missing = links.flat().filter((target) => !isHeld(target))
    expect(links.flat()).toContain('docs/tour.md')
    expect([...new Set(missing)]).toEqual([])
  })

  it('has manifests in which publint finds nothing', async () => {
    for (const name of ['sluice', 'sluice-cli']) {
      const pkgDir = join(folder, 'node_modules', name)
      const { messages, pkg } = await publint({ pkgDir, strict: true, pack: false })
      expect(messages.map((message) => formatMessage(message, pkg))).toEqual([])
    }
  })

  it('has types in which arethetypeswrong finds nothing, for every kind of importer of ECMAScript modules', async () => {
    const analysis = await checkPackage(createPackageFromTarballData(await readFile(tarball)))
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
    await write('use.ts', use)
    const options = '--ignoreConfig --strict --module nodenext --target es2022 --lib es2023,dom --types'.split(' ')
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

/** Runs the installed command to its end. */
async function sluice(...args: readonly string[]): Promise<string> {
  const command = join(folder, 'node_modules/sluice-cli/bin/sluice.mjs')
  return (await run(process.execPath, [command, ...args], { cwd: folder })).stdout
}

describe('the command of the package', () => {
  it('prints the version of the manifest', async () => {
    expect((await sluice('--version')).trim()).toBe(manifest.version)
  })

  it('checks the configuration that comes with it', async () => {
    expect(await sluice('ratelimit', 'check', 'node_modules/sluice-cli/examples/ratelimit/config')).toContain(
      'all rate limit configs ok',
    )
  })

  it('starts the services from its own folder, without a development tool, and answers for each of them', async () => {
    const command = join(folder, 'node_modules/sluice-cli/bin/sluice.mjs')
    await symlink('node_modules/sluice-cli/examples', join(folder, 'examples'))
    const { program, place } = await startForCommands(folder, join(folder, '.sluice'), (flags) =>
      startProgram(process.execPath, [command, 'start', ...flags], {}, folder),
    )
    try {
      const url = `http://127.0.0.1:${place.ports[8080]}`
      const decision = { domain: 'shop', descriptors: [{ entries: [{ key: 'login', value: 'me' }] }] }
      const answer = await fetch(`${url}/json`, { method: 'POST', body: JSON.stringify(decision) })
      expect(await answer.json()).toMatchObject({ overallCode: 'OK' })
      expect((await fetch(`${url}/api/v1/status`)).status).toBe(200)
      const page = await fetch(url, { headers: { accept: 'text/html' } })
      expect([page.status, page.headers.get('content-type')]).toEqual([200, expect.stringContaining('text/html')])
      const node = `http://127.0.0.1:${place.ports[8484]}`
      const streams = await sluice('streamnet', 'list_streams', '--endpoint', node, '--json')
      expect(JSON.parse(streams).length).toBeGreaterThan(0)
      expect(await sluice('token', 'GRID_TOKEN')).toMatch(/^[0-9a-f]{32}\n$/)
      const named = taskPages.flatMap(readCommands).filter(({ command: text }) => text.includes('npx sluice '))
      expect(new Set(named.map(({ path }) => path)).size).toBeGreaterThan(3)
      if (findProgram('curl') !== null) for (const block of named) expectCommand(block, place)
    } finally {
      await program.stop()
    }
  })
})

describe('the files of docs/test-without-a-network.md', () => {
  /** Writes a block, whose first line is a comment with the name of its file, and returns the text. */
  async function writeBlock(name: string, change = (text: string) => text): Promise<void> {
    const page = await readFile(join(folder, 'node_modules/sluice-cli/docs/test-without-a-network.md'), 'utf8')
    const block = new RegExp(`^\`\`\`\\w+\\n(?://|#) ${name}\\n([\\s\\S]*?)^\`\`\``, 'm').exec(page)?.[1]
    await write(name, change(block ?? expect.fail(`the page has no block ${name}`)))
  }

  it('pass in node:test', async () => {
    await writeBlock('prices.test.mjs')
    const { stdout } = await run(process.execPath, ['--test', 'prices.test.mjs'], { cwd: folder })
    expect(stdout).toContain('pass 3')
  })

  it('pass in vitest, with the line that the page names', async () => {
    const names = "import { afterAll as after, afterEach, beforeEach, test } from 'vitest'"
    await writeBlock('prices.test.mjs', (text) => text.replace(/^import .* from 'node:test'$/m, names))
    await run('npm', ['install', ...npm, '--ignore-scripts', join(projectRoot, 'node_modules/vitest')], { cwd: folder })
    const command = join(folder, 'node_modules/vitest/vitest.mjs')
    const args = [command, 'run', 'prices.test.mjs', '--testTimeout', '60000']
    const { stdout } = await run(process.execPath, args, { cwd: folder })
    expect(stdout).toContain('3 passed')
  })

  it('pass in Python', async ({ skip }) => {
    skip(findProgram('python3') === null, 'there is no python3')
    await writeBlock('test_prices.py')
    const { stderr } = await run('python3', ['-m', 'unittest', 'test_prices'], { cwd: folder })
    expect(stderr).toContain('Ran 2 tests')
  })

  it('have types', async () => {
    const text = `import { startNode, type StartedNode } from 'sluice/streamnet/testing'
const node: StartedNode = await startNode({ profile: 'head' })
export const now: number = node.platform.now()
`
    await write('fixture.ts', text)
    const options = '--ignoreConfig --strict --noEmit --module nodenext --target es2022 --lib es2023,dom --types'.split(
      ' ',
    )
    await run(join(projectRoot, 'node_modules/.bin/tsc'), [...options, '', 'fixture.ts'], { cwd: folder })
  })
})

const fresh = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error']

/** Waits for what asks the registry; skips the test where the registry cannot be reached. */
function online<T>(skip: (when: boolean, why: string) => void, asking: Promise<T>): Promise<T> {
  return asking.catch((error: unknown) => {
    skip(offline.test(String(error)), 'the registry cannot be reached')
    throw error
  })
}

/** Installs into an empty folder from the registry, and returns the folder. */
async function installFresh(skip: (when: boolean, why: string) => void, ...what: readonly string[]): Promise<string> {
  const empty = await makeEmpty()
  await online(skip, run('npm', ['install', ...fresh, ...what], { cwd: empty }))
  return empty
}

it('the command installs from the registry into an empty folder, with scripts off, and finds its runtime', async ({
  skip,
}) => {
  const empty = await installFresh(skip, cli)
  const ports = `--port ${await freePort()} --grpc-port 0 --debug-port 0 --node-port 0`.split(' ')
  const doctor = ['exec', '--offline', '--', 'sluice', 'doctor', '--json', ...ports]
  const { stdout } = await run('npm', doctor, { cwd: empty })
  expect(JSON.parse(stdout)).toMatchObject({ version: manifest.version, runtime: expect.any(String), mistakes: [] })
})

it('the command without its optional packages names what is missing', async ({ skip }) => {
  const small = await installFresh(skip, '--omit=optional', cli)
  const command = [join(small, 'node_modules/sluice-cli/bin/sluice.mjs')]
  await expect(run(process.execPath, [...command, 'start'], { cwd: small })).rejects.toThrow(
    'is not installed, expected an installation without --omit=optional',
  )
  await run(
    'npm',
    ['install', ...npm, '--ignore-scripts', '--omit=optional', join(projectRoot, 'node_modules/undici')],
    { cwd: small },
  )
  await expect(run(process.execPath, [...command, 'start', '--persist', 'state'], { cwd: small })).rejects.toThrow(
    'Cannot start the runtime: the package workerd is not installed',
  )
  // The folder is for another runtime, which may be on another machine.
  const { stdout } = await run(process.execPath, [...command, 'workerd', 'served'], { cwd: small })
  expect(stdout).toContain('Written to ')
})

it('the library installs from the registry with noble and nothing else, and its modules run', async ({ skip }) => {
  const small = await installFresh(skip, tarball)
  const installed = readdirSync(join(small, 'node_modules')).filter((name) => !name.startsWith('.'))
  expect(installed.sort()).toEqual(['@noble', 'sluice'])
  const modules = [
    'streamnet',
    'grid',
    'ratelimit',
    'ratelimit/hono',
    'ratelimit/express',
    'ratelimit/testing',
    'streamnet/testing',
  ]
  const all = modules.map((name) => `import('sluice/${name}')`).join(', ')
  const script = `Promise.all([${all}]).then((all) => console.log(all.map((one) => Object.keys(one).length > 0).join()))`
  const { stdout } = await run(process.execPath, ['-e', script], { cwd: small })
  expect(stdout.trim()).toBe(modules.map(() => 'true').join())
})

/** Runtimes from the registry beside Node, which `.ci/run` installs, with what makes each run a module of a folder. */
describe.each([
  ['bun', ['run']],
  ['deno', ['run', '--quiet', '--node-modules-dir=manual', '--allow-net=127.0.0.1']],
] as const)('the packed client in %s', (name, start) => {
  const program = findProgram(name)

  it.skipIf(program === null)(`signs, writes, reads and ends by a signal (skipped without ${name})`, async () => {
    const server = await startLoopbackServer()
    onTestFinished(() => server.close())
    server.node.answers.set('get_best_prices', {
      columns: { best_bid: 'int8', best_ask: 'int8', spread: 'int8' },
      rows: [[5n, 9n, 4n]],
    })
    await write(
      'runtime.mjs',
      `import { NetClient } from 'sluice/streamnet'
       const client = new NetClient('${server.endpoint}', '${'11'.repeat(32)}')
       const records = [{ date: 1, value: '1.5' }]
       const hash = await client.insertRecords({ streamId: 'st${'0'.repeat(30)}', records })
       const { spread } = await client.getBestPrices({ queryId: 1, outcome: true })
       const aborted = await client.whoami({}, { signal: AbortSignal.abort() }).catch(({ code }) => code)
       console.log(JSON.stringify({ hash, spread, aborted }))`,
    )
    const { stdout } = await run(program ?? name, [...start, 'runtime.mjs'], { cwd: folder })
    const { hash, ...rest } = JSON.parse(stdout)
    expect(server.node.included.get(hash)?.code).toBe(0)
    expect(rest).toEqual({ spread: 4, aborted: 'aborted' })
  })
})

const wrangler = join(projectRoot, 'node_modules/wrangler/bin/wrangler.js')
const development = { WRANGLER_SEND_METRICS: 'false', CLOUDFLARE_CF_FETCH_ENABLED: 'false', CI: '1' }

/** Installs an example from the packed files; its folder is removed at the end. */
async function example(name: string, network?: string): Promise<string> {
  const made = await installExample(name, tarball, network)
  empties.push(made)
  return made
}

/** Runs `wrangler dev` in a folder while `body` asks it. */
async function withWrangler(
  at: string,
  body: (url: string) => Promise<void>,
  ...more: readonly string[]
): Promise<void> {
  const state = ['--inspector-port', '0', '--persist-to', join(at, 'state')]
  await withServer(at, [wrangler, 'dev', ...more, '--ip', '127.0.0.1', ...state], 'Ready on', body)
}

/** Runs a server of development, which says `ready`, while `body` asks it. */
async function withServer(
  at: string,
  command: readonly string[],
  ready: string,
  body: (url: string) => Promise<void>,
): Promise<void> {
  const port = await freePort()
  const program = startProgram(process.execPath, [...command, '--port', `${port}`], development, at)
  try {
    await waitFor('the address', async () => program.output().includes(ready), program)
    await body(`http://127.0.0.1:${port}`)
  } finally {
    await program.stop()
  }
}

/** Statuses of requests, one after another. */
async function statuses(url: string, count: number, init: RequestInit = {}): Promise<readonly number[]> {
  const seen: number[] = []
  for (let sent = 0; sent < count; sent++) seen.push((await fetch(url, init)).status)
  return seen
}

/** The blocks of the page, whose projects begin in an empty folder. */
const page = readFileSync(join(projectRoot, 'docs/from-a-worker.md'), 'utf8')
function blockOf(language: string, holds: string): string {
  const blocks = [...page.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(([, kind, text = '']) => ({ kind, text }))
  const found = blocks.find(({ kind, text }) => kind === language && text.includes(holds))
  return found?.text ?? expect.fail(`docs/from-a-worker.md has no ${language} with ${holds}`)
}

/** Writes blocks of the page into an empty folder, with the library and packages of this project. */
async function project(
  blocks: Readonly<Record<string, readonly [language: string, holds: string]>>,
  ...packages: readonly string[]
): Promise<string> {
  const empty = await makeEmpty()
  await writeFile(join(empty, 'package.json'), '{ "private": true, "type": "module" }\n')
  const links = [...dependencies, ...packages].map((name) => join(projectRoot, 'node_modules', name))
  await installInto(empty, [...links, tarball])
  for (const [name, [language, holds]] of Object.entries(blocks)) {
    await writeFile(join(empty, name), blockOf(language, holds))
  }
  return empty
}

const mounted = { 'worker.js': ['js', 'withRules'], 'wrangler.toml': ['toml', 'worker.js'] } as const
const bound = { 'worker.ts': ['ts', 'env.LIMITER.limit'], 'wrangler.toml': ['toml', 'service ='] } as const
const both = ['-c', 'wrangler.toml', '-c', 'node_modules/sluice/wrangler.toml']

/** Types of Workers as `wrangler types` writes them, checked with the sources of a folder. */
async function checkWorkerTypes(at: string, ...configurations: readonly string[]): Promise<string> {
  const options = { cwd: at, env: { ...process.env, ...development } }
  await run(process.execPath, [wrangler, 'types', '--include-runtime=false', ...configurations], options)
  const compilerOptions = {
    strict: true,
    noEmit: true,
    target: 'es2024',
    lib: ['es2024'],
    module: 'esnext',
    moduleResolution: 'bundler',
    types: [join(projectRoot, 'node_modules/@cloudflare/workers-types')],
  }
  await writeFile(join(at, 'tsconfig.json'), JSON.stringify({ compilerOptions }))
  const compiled = run(join(projectRoot, 'node_modules/.bin/tsc'), ['-p', '.'], { cwd: at })
  return compiled.then(
    () => '',
    (error: { readonly stdout: string }) => error.stdout,
  )
}

describe('in an empty folder, by the blocks of docs/from-a-worker.md', () => {
  it('a mounted limiter holds its limit in ten lines', async () => {
    const at = await project(mounted)
    expect(blockOf('js', 'withRules').trimEnd().split('\n').length).toBeLessThanOrEqual(13)
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

it('the publishing workflow runs dry: both packages, with provenance', async ({ skip }) => {
  const { jobs } = parse(readFileSync(join(projectRoot, '.github/workflows/publish.yml'), 'utf8'))
  const [{ run: lines = '' } = {}] = jobs.publish.steps.filter(
    (step: { readonly name?: string }) => step.name === 'Publish',
  )
  const shell = run('bash', ['-ec', lines], { cwd: projectRoot, env: { ...process.env, DRY: '--dry-run' } })
  const { stdout, stderr } = await online(skip, shell)
  expect(stdout.trim().split('\n')).toEqual([`+ sluice@${manifest.version}`, `+ sluice-cli@${manifest.version}`])
  expect(stderr).toContain('(dry-run)')
})

describe('examples/packages/limited-worker', () => {
  let at: string
  beforeAll(async () => {
    at = await example('limited-worker')
    await copyFile(join(at, '.dev.vars.example'), join(at, '.dev.vars'))
  })

  it('has its rules from the file, with fields, an operator plane and a dry deployment', async () => {
    await withWrangler(at, async (url) => {
      expect(await statuses(`${url}/api/hello`, 10)).toEqual(Array(10).fill(200))
      const refused = await fetch(`${url}/api/hello`)
      expect([refused.status, refused.headers.get('ratelimit-policy')]).toEqual([429, '"requests";q=10;w=60'])
      expect((await fetch(`${url}/ratelimit/rlconfig`)).status).toBe(401)
      const headers = { authorization: 'Bearer change-me-operator-token' }
      const rules = await (await fetch(`${url}/ratelimit/rlconfig`, { headers })).text()
      expect(rules).toContain('api.address: unit=MINUTE requests_per_unit=10')
    })
    expect(await checkWorkerTypes(at)).toBe('')
    const { stdout } = await run(process.execPath, [wrangler, 'deploy', '--dry-run', '--outdir', 'out'], {
      cwd: at,
      env: { ...process.env, ...development },
    })
    expect(stdout).toMatch(/env\.COUNTER \(CounterObject\)[\s\S]*--dry-run: exiting now/)
  })

  it('replaces all by other rules at a deployment; with the same, what an operator changed stays', async () => {
    const rules = await readFile(join(at, 'rules.yaml'), 'utf8')
    const headers = { authorization: 'Bearer change-me-operator-token' }
    const limit = async (url: string) =>
      /requests_per_unit=\d+/.exec(await (await fetch(`${url}/ratelimit/rlconfig`, { headers })).text())?.[0]
    await withWrangler(at, async (url) => {
      expect(await limit(url)).toBe('requests_per_unit=10')
      const file = { method: 'PUT', headers, body: rules.replace('requests_per_unit: 10', 'requests_per_unit: 7') }
      expect((await fetch(`${url}/ratelimit/config/files/config.shipped-1`, file)).status).toBe(200)
    })
    await withWrangler(at, async (url) => expect(await limit(url)).toBe('requests_per_unit=7'))
    await writeFile(join(at, 'rules.yaml'), rules.replace('requests_per_unit: 10', 'requests_per_unit: 2'))
    await withWrangler(at, async (url) => expect(await limit(url)).toBe('requests_per_unit=2'))
  })

  it('does not start with a mistake in its rules', async () => {
    await writeFile(join(at, 'rules.yaml'), 'domain: api\ndescriptors: [{key: a, rate_limit: {unit: dya}}]\n')
    const port = await freePort()
    const program = startProgram(
      process.execPath,
      [wrangler, 'dev', '--port', `${port}`, '--inspector-port', '0'],
      development,
      at,
    )
    try {
      await waitFor('the mistake', async () => program.output().includes("invalid rate limit unit 'dya'"), program)
    } finally {
      await program.stop()
    }
  })
})

describe('examples/packages', () => {
  it('limited-server: a server of Node with Express asks the service over HTTP', async ({ skip }) => {
    expect(foreignPackages('limited-server')).toEqual(['express'])
    const at = await online(skip, example('limited-server', '--prefer-offline'))
    const service = await startBundle({ worker: 'ratelimit', vars: { RATELIMIT_RULES: 'domain: api' }, rebuild: true })
    const program = startProgram(process.execPath, ['server.js'], { LIMITER_URL: service.url, PORT: '0' }, at)
    try {
      await waitFor('the address', async () => program.output().includes('http://'), program)
      const url = program.output().trim()
      expect(await statuses(url, 2, { method: 'POST' })).toEqual([200, 200])
      const refused = await fetch(url)
      expect([refused.status, refused.headers.get('ratelimit')]).toEqual([
        429,
        expect.stringMatching(/"default";r=0;t=\d+/),
      ])
      await service.stop()
      expect(await statuses(url, 1)).toEqual([200])
      expect(program.output()).toContain('unreachable')
    } finally {
      await program.stop()
      await service.stop()
    }
  })

  it('feed-publisher: publishes to a development node and reads the value', async () => {
    const at = await example('feed-publisher')
    const node = await startBundle({ worker: 'streamnet', vars: { STREAMNET_DEVELOPMENT: 'true' }, rebuild: true })
    try {
      const env = {
        ...process.env,
        STREAMNET_ENDPOINT: `${node.url}/streamnet/node`,
        STREAMNET_PRIVATE_KEY: `${'0'.repeat(63)}1`,
      }
      // Key 1 of a development node may give itself the role that creates streams.
      const client = new NetClient(env.STREAMNET_ENDPOINT, env.STREAMNET_PRIVATE_KEY)
      await client.grantRole({ owner: 'system', roleName: 'network_writer', wallets: [client.getCurrentAccount()] })
      const { stdout } = await run(process.execPath, ['publish.js', '21.75'], { cwd: at, env })
      expect(stdout).toMatch(/^21\.75/)
    } finally {
      await node.stop()
    }
  })

  it('grid-exercise: the exercise is a test that passes', async () => {
    const at = await example('grid-exercise')
    const command = [join(at, 'node_modules/vitest/vitest.mjs'), 'run', '--testTimeout', '60000']
    const { stdout } = await run(process.execPath, command, { cwd: at })
    expect(stdout).toMatch(/1 passed/)
  })
})
