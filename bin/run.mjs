#!/usr/bin/env node
/**
 * Runs a command of this folder: `node bin/run.mjs NAME [ARGUMENT ...]` runs `bin/NAME.ts`, and
 * `node bin/run.mjs examples/PATH.ts [ARGUMENT ...]` an example.
 *
 * This file and those in `run` are JavaScript, because they run before anything is installed: they install what the
 * lock file names when that is missing or out of date, and bundle the command with esbuild when its sources have
 * changed since the last time. Then the bundle is imported.
 */

import { existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { dirname, join, parse } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { installPackages } from './run/install.mjs'
import { bundleInputs, makeOnce, writeWhole } from './run/make-once.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))

/**
 * Bundles a command, with a separate file for each part that it imports when it needs it.
 *
 * @param {string} entry - absolute path of a source.
 * @param {string} outfile - absolute path of its bundle; the parts are in a folder of its name.
 */
async function bundle(entry, outfile) {
  const { dir, name } = parse(outfile)
  /** @satisfies {import('esbuild').BuildOptions} */
  const options = {
    absWorkingDir: root,
    entryPoints: [{ in: entry, out: name }],
    outdir: dir,
    outExtension: { '.js': '.mjs' },
    splitting: true,
    chunkNames: `${name}/[name]-[hash]`,
    bundle: true,
    write: false,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    packages: 'external',
    sourcemap: 'inline',
    sourcesContent: false,
    loader: { '.html': 'text' },
    metafile: true,
    logLevel: 'error',
  }
  await makeOnce(`${outfile}.made.json`, JSON.stringify(options), async () => {
    const { build } = await import('esbuild')
    const { outputFiles, metafile } = await build(options)
    for (const { path, contents } of outputFiles) writeWhole(path, contents)
    removeOldParts(join(dir, name))
    return { inputs: bundleInputs(root, metafile), outputs: outputFiles.map(({ path }) => path) }
  })
}

/**
 * Removes parts that no bundle of the last day has: a command that runs may still import those of an earlier one.
 *
 * @param {string} folder
 */
function removeOldParts(folder) {
  const parts = existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : []
  for (const part of parts) if (isOld(part)) rmSync(part, { force: true })
}

/**
 * Tells whether a file is older than a day; one that another command has renamed meanwhile is not.
 *
 * @param {string} path
 */
function isOld(path) {
  const stat = statSync(path, { throwIfNoEntry: false })
  return stat !== undefined && stat.mtimeMs < Date.now() - 86_400_000
}

// An older Node fails much later, with errors that name neither it nor its version.
const [major = 0, minor = 0] = process.version.slice(1).split('.').map(Number)
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`Cannot run this project: this is Node ${process.version}, expected 20.19 or later`)
  process.exit(1)
}

const [name = '', ...args] = process.argv.slice(2)
const path = /^examples\/[a-z/-]+\.ts$/.test(name) ? name : `bin/${name}.ts`
const entry = join(root, path)
if (!/^(bin|examples\/[a-z-]+)\/[a-z][a-z-]*\.ts$/.test(path) || !existsSync(entry)) {
  console.error(`Cannot run "${name}": there is no ${path}`)
  process.exit(1)
}
await installPackages(root)
const outfile = join(root, '.build', path.replace(/\.ts$/, '.mjs'))
await bundle(entry, outfile)
process.setSourceMapsEnabled(true)
process.argv = [process.execPath, outfile, ...args]
await import(pathToFileURL(outfile).href)
