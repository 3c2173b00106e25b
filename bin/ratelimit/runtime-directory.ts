/** The runtime directory of the reference: which files a configuration consists of, and when it has changed. */

import type { Dirent } from 'node:fs'
import { lstat, readdir, readFile, realpath, stat } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type ConfigFile, runtimeKey } from '#ratelimit/config/compile.ts'
import type { SettingValues } from '#ratelimit/setting-table.ts'

/** A configuration file and its path, as a person knows it. */
export interface LocatedFile extends ConfigFile {
  readonly path: string
}

/** A directory of configuration files and how it is read. */
export interface ConfigDirectory {
  readonly directory: string
  /** The beginning of every runtime key: `config` makes `shop/a.yaml` the key `config.shop.a.yaml`; empty for none. */
  readonly keyPrefix: string
  /** True to leave out files and directories whose names begin with a dot. */
  readonly ignoresDotFiles: boolean
  /** Of the directory's own entries, read only the one of this name and those that continue it with a dot. */
  readonly only?: string
}

/** A configuration directory below a runtime root, and how a change of it is found. */
export interface RuntimeDirectory extends ConfigDirectory {
  /** The path to watch for being swapped; null when the files themselves are watched. */
  readonly swappedPath: string | null
}

/**
 * Finds the configuration directory that the RUNTIME_* settings name, as the reference does:
 * RUNTIME_ROOT/RUNTIME_SUBDIRECTORY/RUNTIME_APPDIRECTORY. With RUNTIME_WATCH_ROOT, files beside that directory whose
 * names begin with its name and a dot count too, such as `config.yaml`.
 *
 * @returns null where the reference reads no files: with RUNTIME_WATCH_ROOT when RUNTIME_ROOT or RUNTIME_SUBDIRECTORY
 *   is empty, without it when both are empty or RUNTIME_APPDIRECTORY is.
 */
export function runtimeDirectory(settings: SettingValues): RuntimeDirectory | null {
  const { RUNTIME_ROOT: root, RUNTIME_SUBDIRECTORY: sub, RUNTIME_APPDIRECTORY: app } = settings
  const ignoresDotFiles = settings.RUNTIME_IGNOREDOTFILES
  if (settings.RUNTIME_WATCH_ROOT) {
    if (root === '' || sub === '') return null
    return { directory: join(root, sub), keyPrefix: '', only: app, ignoresDotFiles, swappedPath: root }
  }
  if (app === '' || (root === '' && sub === '')) return null
  return { directory: join(root, sub, app), keyPrefix: app, ignoresDotFiles, swappedPath: null }
}

/** Reads every file below a directory, in the order of runtime keys; no links to directories, as the reference. */
export async function readConfigDirectory(source: ConfigDirectory): Promise<readonly LocatedFile[]> {
  const paths = await listFiles(source)
  const files = await Promise.all(
    paths.map(async (path) => ({ key: toKey(source, path), text: await readFile(path, 'utf8'), path })),
  )
  const sorted = files.sort((one, other) => (one.key < other.key ? -1 : 1))
  const at = sorted.findIndex(({ key }, index) => key === sorted[index + 1]?.key)
  if (at >= 0) {
    const { key = '', path = '' } = sorted[at] ?? {}
    throw new Error(`${path} and ${sorted[at + 1]?.path} have the key ${key}, expected another name for one`)
  }
  return sorted
}

/** Options of a watch. */
export interface WatchOptions {
  readonly signal: AbortSignal
  readonly since: string
  readonly intervalMs?: number
  readonly retryMs?: number
  readonly onFailure?: (error: unknown) => void
}

/**
 * Calls back at every change until the signal aborts.
 *
 * With a swapped path, a change is that the path leads to another directory; an edit inside of it is not a change, as
 * in the reference. Without one, a change is that a file is written, added, removed or given another mode. The
 * directory is polled, which works on every file system; a change counts once two polls have found the same.
 *
 * @param onChange - awaited before the next poll. After a rejection it is called again, at once for another change.
 * @param options.intervalMs - milliseconds between two polls; 300 when absent.
 * @param options.retryMs - milliseconds until it is called again for the same change; 2,000 when absent.
 * @param options.since - the `fingerprint` taken before the caller first read, so that no change in between is missed.
 * @param options.onFailure - takes a rejection; the same one in a row is given once.
 */
export async function watchRuntimeDirectory(
  source: RuntimeDirectory,
  onChange: () => Promise<void>,
  options: WatchOptions,
): Promise<void> {
  const { signal, intervalMs = 300, retryMs = 2_000, onFailure } = options
  /** Rules that are known to be in force; null after a failure, which may have come after the change. */
  let reported: string | null = options.since
  let seen = options.since
  let failed = { at: '', text: '', retryAtMs: 0 }
  while (!signal.aborted) {
    await sleep(intervalMs, undefined, { signal }).catch(() => undefined)
    const now = await fingerprint(source)
    // Two equal polls: a set of files that is still being written is not read.
    const isDue = now !== failed.at || performance.now() >= failed.retryAtMs
    if (now === seen && now !== reported && isDue) {
      try {
        await onChange()
        reported = now
        failed = { at: '', text: '', retryAtMs: 0 }
      } catch (error) {
        const text = String(error)
        if (text !== failed.text) onFailure?.(error)
        reported = null
        failed = { at: now, text, retryAtMs: performance.now() + retryMs }
      }
    }
    seen = now
  }
}

/** Describes the state of the files as a text: another text where they may differ, empty where they cannot be read. */
export async function fingerprint(source: RuntimeDirectory): Promise<string> {
  try {
    return source.swappedPath === null ? await filesFingerprint(source) : await rootFingerprint(source.swappedPath)
  } catch {
    return ''
  }
}

async function rootFingerprint(path: string): Promise<string> {
  const target = await realpath(path)
  const [link, { ino, dev }] = await Promise.all([lstat(path), stat(target)])
  return [target, dev, ino, link.ino].join(' ')
}

async function filesFingerprint(source: ConfigDirectory): Promise<string> {
  const paths = await listFiles(source)
  const lines = paths.map(async (path) => {
    const { ino, size, mtimeMs, ctimeMs } = await stat(path)
    return [path, ino, size, mtimeMs, ctimeMs].join(' ')
  })
  return (await Promise.all(lines)).sort().join('\n')
}

async function listFiles({ directory, ignoresDotFiles, only }: ConfigDirectory): Promise<readonly string[]> {
  const entries = await readdir(directory, { withFileTypes: true })
  const kept = entries.filter((entry) => {
    if (ignoresDotFiles && entry.name.startsWith('.')) return false
    return only === undefined || isFolderNamed(entry, only) || entry.name.startsWith(`${only}.`)
  })
  const lists = kept.map(async (entry) => {
    const path = join(directory, entry.name)
    const isFolder = entry.isDirectory() || (only !== undefined && isFolderNamed(entry, only))
    if (isFolder) return listFiles({ directory: path, keyPrefix: '', ignoresDotFiles })
    return (await stat(path)).isFile() ? [path] : []
  })
  return (await Promise.all(lists)).flat()
}

/** Follows a link of this name, so that its rules are in force; the reference leaves it out and all requests pass. */
function isFolderNamed(entry: Dirent, name: string): boolean {
  return entry.name === name && !entry.isFile()
}

function toKey({ directory, keyPrefix }: ConfigDirectory, path: string): string {
  const below = relative(directory, path).split(sep).join('/')
  return runtimeKey(keyPrefix === '' ? below : `${keyPrefix}/${below}`)
}
