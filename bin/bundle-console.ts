/** Bundles the console into `public/console`: files with the hash of their content in their names, and the page. */

import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type BuildOptions, build } from 'esbuild'
import { projectRoot } from './project.ts'

/** Where the console's files lie. */
export const consoleFolder = join(projectRoot, 'public/console')

const options = {
  absWorkingDir: projectRoot,
  entryPoints: { main: 'console/main.tsx', icon: 'console/icon.svg' },
  outdir: 'public/console/assets',
  entryNames: '[name]-[hash]',
  chunkNames: '[name]-[hash]',
  assetNames: '[name]-[hash]',
  bundle: true,
  splitting: true,
  minify: true,
  format: 'esm',
  platform: 'browser',
  target: ['es2022', 'chrome111', 'firefox113', 'safari16.4'],
  jsx: 'automatic',
  jsxImportSource: 'preact',
  charset: 'utf8',
  loader: { '.svg': 'copy' },
  legalComments: 'none',
  write: false,
  metafile: true,
  logLevel: 'error',
} satisfies BuildOptions

/** One file of the console. */
export interface ConsoleFile {
  /** Below `public/console/assets`. */
  readonly name: string
  readonly contents: Uint8Array
  /** Whether the page loads it before anything was opened. */
  readonly isFirst: boolean
}

/**
 * Bundles the console without writing anything.
 *
 * @throws Error from the bundler when a source does not parse or resolve.
 */
export async function buildConsole(): Promise<readonly ConsoleFile[]> {
  const { outputFiles, metafile } = await build(options)
  const first = firstFiles(metafile.outputs)
  return outputFiles.map(({ path, contents }) => {
    const name = path.slice(path.lastIndexOf('/') + 1)
    return { name, contents, isFirst: first.has(name) }
  })
}

type Outputs = Awaited<ReturnType<typeof build<typeof options>>>['metafile']['outputs']

/** The entry, its style sheet and what it imports before it runs. */
function firstFiles(outputs: Outputs): ReadonlySet<string> {
  const found = new Set<string>()
  const visit = (path: string) => {
    const name = path.slice(path.lastIndexOf('/') + 1)
    if (found.has(name)) return
    found.add(name)
    for (const { path: imported, kind } of outputs[path]?.imports ?? []) {
      if (kind === 'import-statement') visit(imported)
    }
  }
  for (const [path, { entryPoint, cssBundle }] of Object.entries(outputs)) {
    if (entryPoint === undefined || !/\/(main|icon)-/.test(path)) continue
    visit(path)
    if (cssBundle !== undefined) visit(cssBundle)
  }
  return found
}

/** Milliseconds after which a file of an earlier bundle goes: pages that are open may still ask for it. */
const staleMs = 3_600_000

/** Bundles the console and writes what differs from what is there. */
export async function bundleConsole(): Promise<void> {
  const files = await buildConsole()
  const folder = join(consoleFolder, 'assets')
  await mkdir(folder, { recursive: true })
  await Promise.all(files.map(({ name, contents }) => replaceFile(join(folder, name), contents)))
  await replaceFile(join(consoleFolder, 'page.html'), Buffer.from(await pageOf(files)))
  await removeStale(folder, new Set(files.map(({ name }) => name)))
}

async function pageOf(files: readonly ConsoleFile[]): Promise<string> {
  const template = await readFile(join(projectRoot, 'console/page.html'), 'utf8')
  const find = (pattern: RegExp) => `/console/assets/${files.find(({ name }) => pattern.test(name))?.name}`
  return template
    .replace('{{script}}', find(/^main-\w+\.js$/))
    .replace('{{chunks}}', linksTo(files))
    .replace('{{style}}', find(/^main-\w+\.css$/))
    .replace('{{icon}}', find(/^icon-\w+\.svg$/))
}

/** Lets a browser ask for what the script imports together with the script: one round trip less. */
function linksTo(files: readonly ConsoleFile[]): string {
  const chunks = files.filter(({ name, isFirst }) => isFirst && /\.js$/.test(name) && !/^main-/.test(name))
  return chunks.map(({ name }) => `<link rel="modulepreload" href="/console/assets/${name}">`).join('\n')
}

/** Renamed into place, so that a reader sees the old file or the new one. */
async function replaceFile(path: string, contents: Uint8Array): Promise<void> {
  const before = await readFile(path).catch(() => null)
  if (before?.equals(contents)) return
  await writeFile(`${path}.${process.pid}`, contents)
  await rename(`${path}.${process.pid}`, path)
}

async function removeStale(folder: string, names: ReadonlySet<string>): Promise<void> {
  for (const name of await readdir(folder)) {
    if (names.has(name)) continue
    const path = join(folder, name)
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }))
    if (Date.now() - mtimeMs > staleMs) await rm(path, { force: true })
  }
}
