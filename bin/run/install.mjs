/** Installs the packages that the lock file names, where they are missing or others. */

import { spawn } from 'node:child_process'
import { lstatSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { createProgress } from './progress.mjs'

/**
 * @typedef {{ readonly version?: string, readonly integrity?: string, readonly optional?: boolean,
 *   readonly os?: readonly string[], readonly cpu?: readonly string[] }} Package
 */

/**
 * Installs with `npm ci`, unless what is installed is what the lock file names. Ends the process when it fails.
 *
 * @param {string} root - absolute path of the project.
 */
export async function installPackages(root) {
  if (isInstalled(root)) return
  if (lstatSync(join(root, 'node_modules'), { throwIfNoEntry: false })?.isSymbolicLink()) {
    return fail(
      'node_modules is a link, and npm ci would empty the folder that it leads to; expected a folder. Remove the link and start again.',
    )
  }
  const reason = await install(root)
  if (reason !== null) fail(`npm ci ${reason}. It needs the package registry that npm is set up for.`)
}

/**
 * Compares what npm notes of an installation with the lock file: by the times of both files, and where a checkout has
 * made the lock file newer, package by package.
 *
 * @param {string} root
 */
function isInstalled(root) {
  const [wanted, noted] = [join(root, 'package-lock.json'), join(root, 'node_modules/.package-lock.json')]
  const installed = statSync(noted, { throwIfNoEntry: false })
  if (installed === undefined) return false
  if (installed.mtimeMs >= statSync(wanted).mtimeMs) return true
  const found = readPackages(noted)
  return Object.entries(readPackages(wanted)).every(
    ([path, { version, integrity, optional }]) =>
      path === '' ||
      (found[path] === undefined
        ? optional === true
        : found[path].version === version && found[path].integrity === integrity),
  )
}

/**
 * The packages of a lock file, by path; none when it cannot be read.
 *
 * @param {string} path
 * @returns {Readonly<Record<string, Package>>}
 */
function readPackages(path) {
  try {
    return Object(JSON.parse(readFileSync(path, 'utf8')).packages)
  } catch {
    return {}
  }
}

/**
 * @param {string} root
 * @returns {Promise<string | null>} null when all is installed; otherwise how npm ended.
 */
function install(root) {
  const progress = createProgress()
  const wanted = Object.values(readPackages(join(root, 'package-lock.json'))).filter(isForThisMachine).length
  progress.step('Installing packages from package-lock.json')
  const flags = ['ci', '--include=dev', '--no-audit', '--no-fund', '--no-progress', '--loglevel=http']
  const npm = spawn('npm', flags, {
    cwd: root,
    stdio: ['ignore', 'ignore', 'pipe'],
    shell: process.platform === 'win32',
  })
  let fetched = 0
  createInterface(npm.stderr).on('line', (line) => {
    // npm names every package that it has fetched, from the registry or from its own store; warnings are not errors.
    if (/^npm http .*\.tgz\b/.test(line)) progress.detail(`${++fetched} of ${Math.max(fetched, wanted)}`)
    else if (!/^npm (http|warn|notice)\b/i.test(line)) progress.say(line)
  })
  return new Promise((resolve) => {
    const end = (/** @type {string | null} */ reason) => {
      progress.end()
      resolve(reason)
    }
    npm.on('error', (error) => end(`did not start (${'code' in error ? error.code : error.message})`))
    npm.on('close', (status) => end(status === 0 ? null : `ended with exit code ${status}`))
  })
}

/** @param {Package} wanted */
function isForThisMachine({ version, os = [process.platform], cpu = [process.arch] }) {
  return version !== undefined && os.includes(process.platform) && cpu.includes(process.arch)
}

/**
 * @param {string} state
 * @returns {never}
 */
function fail(state) {
  console.error(`Cannot install packages: ${state}`)
  process.exit(1)
}
