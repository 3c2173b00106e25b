/** The rate limit configuration of a start: read, checked before anything runs, and handed to the service. */

import { stat } from 'node:fs/promises'
import { checkRules } from '../../src/ratelimit/config/compile.ts'
import type { ConfigFile } from '../../src/ratelimit/config/document.ts'
import { mistakeLine, pushFiles, refusalLines, type Service } from '../ratelimit/push.ts'
import { type ConfigDirectory, readConfigDirectory } from '../ratelimit/runtime-directory.ts'

/**
 * Reads every file below a folder and compiles the whole.
 *
 * @throws Error with one line when the folder cannot be read, or with one line a mistake.
 */
export async function readConfiguration(
  source: ConfigDirectory,
  options: {
    readonly mergeDomains: boolean
    /** The option or the settings that named the folder, for an error. */
    readonly named: string
  },
): Promise<readonly ConfigFile[]> {
  const found = await stat(source.directory).catch(() => null)
  if (!found?.isDirectory()) {
    throw new Error(`Cannot start: ${options.named} is "${source.directory}", expected a folder`)
  }
  const files = await readConfigDirectory(source)
  const { mistakes } = checkRules(files, { mergeDomains: options.mergeDomains })
  if (mistakes.length > 0) {
    throw new Error(
      ['Cannot start: the configuration has mistakes', ...mistakes.map(mistakeLine)].join('\n  '),
    )
  }
  return files
}

/**
 * Gives the service its configuration: always when a folder was named, otherwise only to a service that has none,
 * so that what an operator pushed survives a restart.
 *
 * @throws Error when the service does not take what was checked before.
 */
export async function loadConfiguration(
  service: Service,
  files: readonly ConfigFile[],
  options: { readonly onlyIfEmpty: boolean },
): Promise<void> {
  const result = await pushFiles(service, files, options)
  if (result.kind === 'refused')
    throw new Error(['Cannot load the configuration:', ...refusalLines(result)].join('\n  '))
}
