#!/usr/bin/env node
/**
 * Runs a command of this folder: `node bin/run.mjs NAME [ARGUMENT ...]` runs `bin/NAME.ts`, and
 * `node bin/run.mjs examples/PATH.ts [ARGUMENT ...]` an example.
 *
 * The only JavaScript of the project, because it must run before anything is installed: it installs what the
 * lock file names when that is missing or out of date, bundles the command with esbuild and imports it.
 */

import { spawnSync } from 'node:child_process'
import { existsSync, lstatSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))

function isInstalled() {
  const installed = join(root, 'node_modules/.package-lock.json')
  if (!existsSync(installed)) return false
  return statSync(installed).mtimeMs >= statSync(join(root, 'package-lock.json')).mtimeMs
}

function install() {
  if (lstatSync(join(root, 'node_modules'), { throwIfNoEntry: false })?.isSymbolicLink()) {
    console.error(
      'Cannot install packages: node_modules is a link, and npm ci would empty the folder that it leads to; expected a folder. Remove the link and start again.',
    )
    process.exit(1)
  }
  console.error('Installing packages from package-lock.json ...')
  const options = { cwd: root, stdio: ['ignore', 'ignore', 'inherit'], shell: process.platform === 'win32' }
  const flags = ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error']
  const { status, error } = spawnSync('npm', flags, options)
  if (status !== 0) {
    console.error(
      `Cannot install packages: npm ci ${error ? `did not start (${error.code})` : `ended with exit code ${status}`}. It needs the package registry that npm is set up for.`,
    )
    process.exit(1)
  }
}

async function bundle(entry, outfile) {
  const { build } = await import('esbuild')
  const result = await build({
    absWorkingDir: root,
    entryPoints: [entry],
    outfile,
    bundle: true,
    write: false,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    packages: 'external',
    sourcemap: 'inline',
    loader: { '.html': 'text' },
    logLevel: 'error',
  })
  const text = result.outputFiles[0].text
  if (existsSync(outfile) && readFileSync(outfile, 'utf8') === text) return
  // Renamed into place, so that a command started at the same moment never imports half a file.
  mkdirSync(dirname(outfile), { recursive: true })
  writeFileSync(`${outfile}.${process.pid}`, text)
  renameSync(`${outfile}.${process.pid}`, outfile)
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
if (!isInstalled()) install()
const outfile = join(root, '.build', path.replace(/\.ts$/, '.mjs'))
await bundle(entry, outfile)
process.setSourceMapsEnabled(true)
process.argv = [process.execPath, outfile, ...args]
await import(pathToFileURL(outfile).href)
