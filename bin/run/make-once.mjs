/** Runs a step of a build once for the same files. JavaScript: `bin/run.mjs` needs it before anything is bundled. */

import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { replaceFile } from './replace-file.mjs'

/** @typedef {{ readonly inputs: readonly string[], readonly outputs: readonly string[] }} MadeFiles */

/** The clock of a file system may be behind that of the process by this much, in milliseconds. */
const clockGrainMs = 20

/**
 * Runs `make`, unless all files of its last run are as that run left them: what it read and what it wrote, by their
 * contents. Nothing is noted when an input changed during the run, so that the next call makes again.
 *
 * @param {string} note - absolute path of the file that keeps names and hashes.
 * @param {string} key - everything else that decides what is made, such as the options of a bundler.
 * @param {() => Promise<MadeFiles>} make - writes the outputs; gives absolute paths. An input may be a file that is
 *   missing: it counts as changed once it exists.
 * @returns {Promise<boolean>} true when `make` ran.
 */
export async function makeOnce(note, key, make) {
  if (isMade(note, key)) return false
  const startedMs = Date.now()
  const { inputs, outputs } = await make()
  const files = Object.fromEntries([...inputs, ...outputs].map((path) => [path, hashFile(path)]))
  if (inputs.some((path) => changedAt(path) >= startedMs - clockGrainMs)) return true
  writeWhole(note, JSON.stringify({ key, files }))
  return true
}

/**
 * Tells if the note is of this key and every file has the contents that it names.
 *
 * @param {string} note - as for `makeOnce`.
 * @param {string} key - likewise.
 */
export function isMade(note, key) {
  const { key: noted, files } = readNote(note)
  const hashes = Object.entries(files)
  return noted === key && hashes.length > 0 && hashes.every(([path, hash]) => hashFile(path) === hash)
}

/**
 * The inputs of a bundle: what the bundler read, and what decides how it reads: settings of the compiler, and which
 * packages are installed.
 *
 * @param {string} root - absolute path of the project.
 * @param {{ readonly inputs: Readonly<Record<string, unknown>> }} metafile - of esbuild, with paths relative to `root`.
 * @returns {readonly string[]}
 */
export function bundleInputs(root, { inputs }) {
  const paths = Object.keys(inputs)
  const folders = new Set(paths.map((path) => path.slice(0, path.indexOf('/') + 1)))
  const settings = ['', ...folders].map((folder) => `${folder}tsconfig.json`)
  return [...paths, ...settings, 'node_modules/.package-lock.json'].map((path) => join(root, path))
}

/**
 * Replaces a file, so that a command started at the same moment never reads half of it.
 *
 * @param {string} path - its folder is made where it is missing.
 * @param {string | Uint8Array} contents
 */
export function writeWhole(path, contents) {
  mkdirSync(dirname(path), { recursive: true })
  replaceFile(path, contents)
}

/**
 * An unreadable note is one that fits nothing.
 *
 * @param {string} note
 * @returns {{ readonly key?: unknown, readonly files: Readonly<Record<string, unknown>> }}
 */
function readNote(note) {
  try {
    const { key, files } = JSON.parse(readFileSync(note, 'utf8'))
    return { key, files: Object(files) }
  } catch {
    return { files: {} }
  }
}

/**
 * The hash of a file's contents; empty when there is no such file.
 *
 * @param {string} path
 */
function hashFile(path) {
  try {
    return createHash('sha256').update(readFileSync(path)).digest('base64')
  } catch {
    return ''
  }
}

/**
 * Reads the time in milliseconds at which a file or its name last changed; 0 when there is no such file.
 *
 * @param {string} path
 */
function changedAt(path) {
  return existsSync(path) ? statSync(path).ctimeMs : 0
}
