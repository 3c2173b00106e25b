/** The packed files, installed into an empty folder as another project does it, for all tests of the packages. */

import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll } from 'vitest'
import { projectRoot } from '#bin/project.ts'
import manifest from '../../../package.json' with { type: 'json' }
import { offline } from '../../support/offline.ts'

/** Runs a program to its end. */
export const run = promisify(execFile)

/** Options of npm by which nothing is asked of a registry. */
export const npmOptions = ['--no-audit', '--no-fund', '--offline', '--loglevel=error']

/** The packages that the library needs, and those that the command can have besides. */
export const dependencies = Object.keys(manifest.dependencies).sort()
export const optional = Object.keys(manifest.optionalDependencies).sort()

/** A packed folder. */
interface PackedFolder {
  readonly tarball: string
  /** The paths inside. */
  readonly files: readonly string[]
}

/** The packages, and a folder of another project that has them. */
export interface Packed {
  readonly folder: string
  /** The modules for other projects. */
  readonly library: PackedFolder
  /** The command with the runtime. */
  readonly command: PackedFolder
  /** Writes a file into the folder of the other project. */
  write(name: string, text: string): Promise<void>
  /** Makes a folder with no packages above it, in which another project begins. */
  makeEmpty(): Promise<string>
  /** Removes a folder at the end. */
  removeLater(folder: string): void
}

/** Packs both before the tests of a file, and removes every folder after them. */
export function packProject(): Packed {
  let packed: Pick<Packed, 'folder' | 'library' | 'command'> | undefined
  const made: string[] = []
  const ready = () => {
    if (packed === undefined) throw new Error('Cannot test the packages: they are not packed')
    return packed
  }

  beforeAll(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'sluice-package-'))
    made.push(folder)
    // Packing the command builds both.
    const command = await pack('.', folder)
    const library = await pack('./dist/library', folder)
    await writeFile(join(folder, 'package.json'), '{ "type": "module", "private": true }\n')
    // The dependencies come from this project's own folder, so that nothing is asked of a registry.
    const local = [...dependencies, ...optional].map((name) => join(projectRoot, 'node_modules', name))
    const packages = [...local, library.tarball, command.tarball]
    await run('npm', ['install', ...npmOptions, '--ignore-scripts', ...packages], { cwd: folder })
    packed = { folder, library, command }
  })
  afterAll(async () => {
    for (const folder of made) await rm(folder, { recursive: true, force: true })
  })

  return {
    get folder() {
      return ready().folder
    },
    get library() {
      return ready().library
    },
    get command() {
      return ready().command
    },
    write: (name, text) => writeFile(join(ready().folder, name), text),
    async makeEmpty() {
      const empty = await mkdtemp(join(tmpdir(), 'sluice-empty-'))
      made.push(empty)
      await writeFile(join(empty, 'package.json'), '{ "private": true }\n')
      return empty
    },
    removeLater: (folder) => void made.push(folder),
  }
}

async function pack(place: string, to: string): Promise<PackedFolder> {
  const { stdout } = await run('npm', ['pack', place, '--json', '--silent', '--pack-destination', to], {
    cwd: projectRoot,
    maxBuffer: 4 * 1024 * 1024,
  })
  const [packed] = JSON.parse(stdout) as readonly { filename: string; files: readonly { path: string }[] }[]
  return { tarball: join(to, packed?.filename ?? ''), files: packed?.files.map(({ path }) => path) ?? [] }
}

/** Waits for what asks the registry; skips the test where the registry cannot be reached. */
export function online<T>(skip: (when: boolean, why: string) => void, asking: Promise<T>): Promise<T> {
  return asking.catch((error: unknown) => {
    skip(offline.test(String(error)), 'the registry cannot be reached')
    throw error
  })
}
