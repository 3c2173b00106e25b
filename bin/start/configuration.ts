/** The rate limit configuration of a start: read, checked before anything runs, and handed to the service. */

import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { messageOf } from '#base/errors.ts'
import { checkFiles, parseFiles } from '#ratelimit/config/compile.ts'
import type { Mistake } from '#ratelimit/contract/configuration.ts'
import type { Settings } from '#ratelimit/settings.ts'
import { projectRoot } from '../project.ts'
import { mistakeLine, pathsOf, pushFiles, refusalLines, type Service } from '../ratelimit/push.ts'
import {
  type ConfigDirectory,
  type LocatedFile,
  type RuntimeDirectory,
  readConfigDirectory,
  runtimeDirectory,
} from '../ratelimit/runtime-directory.ts'
import { type ControlPlane, readControlPlane } from '../xds/settings.ts'
import type { StartOptions } from './options.ts'

type ConfigurationSource =
  /** Of `--config`; its files replace those in force. */
  | { readonly kind: 'named'; readonly directory: ConfigDirectory }
  /** Of the control plane of the CONFIG_GRPC_XDS_ settings; followed while the service runs. */
  | { readonly kind: 'xds'; readonly plane: ControlPlane }
  /** Of the RUNTIME_ settings; followed while the service runs. */
  | { readonly kind: 'runtime'; readonly directory: RuntimeDirectory }
  /** The example rules, for a service that has none. */
  | { readonly kind: 'example'; readonly directory: ConfigDirectory }

/** Finds where the configuration of a start is. */
export function configurationSource(
  { config, vars }: Pick<StartOptions, 'config' | 'vars'>,
  settings: Settings,
): ConfigurationSource {
  if (settings.CONFIG_TYPE === 'GRPC_XDS_SOTW') {
    if (config === null) return { kind: 'xds', plane: readControlPlane(settings) }
    throw new Error('Cannot start: --config and CONFIG_TYPE=GRPC_XDS_SOTW are set, expected one of them')
  }
  const ignoresDotFiles = settings.RUNTIME_IGNOREDOTFILES
  if (config !== null) {
    return { kind: 'named', directory: { directory: config, keyPrefix: 'config', ignoresDotFiles } }
  }
  const directory = runtimeDirectory(settings)
  if (directory !== null) return { kind: 'runtime', directory }
  const given = Object.keys(vars).filter((name) => name.startsWith('RUNTIME_') && vars[name] !== '')
  if (given.length > 0) {
    throw new Error(
      `Cannot start: ${given.join(', ')} without a directory of rules, expected RUNTIME_ROOT and RUNTIME_SUBDIRECTORY, or --config DIR`,
    )
  }
  return { kind: 'example', directory: { directory: exampleConfiguration, keyPrefix: 'config', ignoresDotFiles } }
}

/** The rules that are loaded where no folder is named. */
const exampleConfiguration = join(projectRoot, 'examples/ratelimit/config')

/** Reads every file of a source and compiles the whole; a runtime directory and a control plane may be empty. */
export async function readConfiguration(
  source: ConfigurationSource,
  { mergeDomains }: { readonly mergeDomains: boolean },
): Promise<readonly LocatedFile[]> {
  if (source.kind === 'xds') return []
  const { kind, directory } = source
  const named = kind === 'runtime' ? 'the directory of the RUNTIME_ settings' : '--config'
  const found = await stat(directory.directory).catch(() => null)
  if (!found?.isDirectory()) {
    throw new Error(`Cannot start: ${named} is "${directory.directory}", expected a folder`)
  }
  const files = await readConfigDirectory(directory).catch((error: unknown) => {
    const state = messageOf(error)
    throw new Error(`Cannot start: ${named} cannot be read: ${state}`, { cause: error })
  })
  if (files.length === 0 && kind !== 'runtime') {
    throw new Error(`Cannot start: ${named} is "${directory.directory}", which has no files, expected rules in it`)
  }
  const { mistakes } = checkFiles(parseFiles(files), { mergeDomains })
  if (mistakes.length > 0) {
    const paths = pathsOf(files)
    const lineOf = (mistake: Mistake) => mistakeLine(mistake, paths)
    throw new Error(['Cannot start: the configuration has mistakes', ...mistakes.map(lineOf)].join('\n  '))
  }
  return files
}

/** Gives the service a folder that was named, or a first configuration: what an operator pushed survives restarts. */
export async function loadConfiguration(
  service: Service,
  files: readonly LocatedFile[],
  options: { readonly onlyIfEmpty: boolean },
): Promise<void> {
  const result = await pushFiles(service, files, options)
  if (result.kind === 'refused')
    throw new Error(['Cannot load the configuration:', ...refusalLines(result)].join('\n  '))
}
