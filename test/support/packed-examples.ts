/** Installs examples that have a `package.json`, from the packed files and this project's own packages: no registry. */

import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { projectRoot } from '#bin/project.ts'
import manifest from '../../package.json' with { type: 'json' }

const run = promisify(execFile)

/** Dependencies of a manifest. */
interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
}

/** The packages of an example that this project does not have. */
export function foreignPackages(name: string): readonly string[] {
  return packagesOf(name).filter((one) => one !== 'sluice' && !existsSync(join(projectRoot, 'node_modules', one)))
}

function packagesOf(name: string): readonly string[] {
  const text = readFileSync(join(projectRoot, 'examples/packages', name, 'package.json'), 'utf8')
  // The examples' manifests are npm's.
  const { dependencies, devDependencies } = JSON.parse(text) as Manifest
  return Object.keys({ ...dependencies, ...devDependencies })
}

/**
 * Copies an example into an empty folder and installs what its manifest names.
 *
 * @param tarball - the packed project.
 * @param network - options of npm that say whether a registry may be asked.
 * @returns its folder; the caller removes it.
 */
export async function installExample(name: string, tarball: string, network = '--offline'): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), `sluice-${name}-`))
  cpSync(join(projectRoot, 'examples/packages', name), folder, { recursive: true })
  const own = [
    ...packagesOf(name),
    ...Object.keys(manifest.dependencies),
    ...Object.keys(manifest.optionalDependencies),
  ]
  const links = own.map((one) => join(projectRoot, 'node_modules', one)).filter((path) => existsSync(path))
  await installInto(folder, [...links, tarball], network)
  return folder
}

/** Installs packages into a folder. */
export async function installInto(folder: string, packages: readonly string[], network = '--offline'): Promise<void> {
  const options = ['--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error', network]
  await run('npm', ['install', ...options, ...packages], { cwd: folder })
}
