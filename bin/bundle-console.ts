/** Bundles the console into `public/console`: files with the hash of their content in their names, and the page. */

import { readdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { BuildOptions, Metafile } from 'esbuild'
import { projectRoot } from './project.ts'
import { bundleInputs, makeOnce, writeWhole } from './run/make-once.mjs'

/** Folder of the console's files. */
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
  /** True when the page loads it before anything was opened. */
  readonly isFirst: boolean
}

/** Bundles the console without writing anything. */
export async function buildConsole(): Promise<readonly ConsoleFile[]> {
  return (await build()).files
}

async function build(): Promise<{ readonly files: readonly ConsoleFile[]; readonly metafile: Metafile }> {
  // Loaded only here: a start whose console is made needs no bundler.
  const { outputFiles, metafile } = await (await import('esbuild')).build(options)
  const first = firstFiles(metafile.outputs)
  const files = outputFiles.map(({ path, contents }) => {
    const name = path.slice(path.lastIndexOf('/') + 1)
    return { name, contents, isFirst: first.has(name) }
  })
  return { files, metafile }
}

/** The entry, its style sheet and what it imports before it runs. */
function firstFiles(outputs: Metafile['outputs']): ReadonlySet<string> {
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

/** Bundles the console where its sources have changed. */
export async function bundleConsole(): Promise<void> {
  const template = join(projectRoot, 'console/page.html')
  await makeOnce(join(projectRoot, '.build/console.made.json'), JSON.stringify(options), async () => {
    const { files, metafile } = await build()
    const folder = join(consoleFolder, 'assets')
    for (const { name, contents } of files) writeWhole(join(folder, name), contents)
    const page = join(consoleFolder, 'page.html')
    writeWhole(page, writePage(files, await readFile(template, 'utf8')))
    await removeStale(folder, new Set(files.map(({ name }) => name)))
    return {
      inputs: [template, ...bundleInputs(projectRoot, metafile)],
      outputs: [page, ...files.map(({ name }) => join(folder, name))],
    }
  })
}

function writePage(files: readonly ConsoleFile[], template: string): string {
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

async function removeStale(folder: string, names: ReadonlySet<string>): Promise<void> {
  for (const name of await readdir(folder)) {
    if (names.has(name)) continue
    const path = join(folder, name)
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }))
    if (Date.now() - mtimeMs > staleMs) await rm(path, { force: true })
  }
}
