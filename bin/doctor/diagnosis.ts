/** Findings of `sluice doctor`: every setting with its source, the machine, and all mistakes. */

import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import { messageOf } from '#base/errors.ts'
import type { Variable } from '#base/variables.ts'
import { version } from '#base/version.ts'
import { showDefault } from '../settings/page.ts'
import { sections } from '../settings/sections.ts'
import { type DatabaseReport, lookAtDatabases } from '../start/databases.ts'
import { type FolderHolder, findHolder } from '../start/lock.ts'
import { parseStartOptions, type StartOptions } from '../start/options.ts'
import { assertPortsFree, listPlaces } from '../start/ports.ts'
import { readSources } from '../start/preparation.ts'
import { assertSecrets, keptSecretNames } from '../start/secrets.ts'
import { assertStateFolder } from '../start/state-folder.ts'

/** One setting as it is in force. */
export interface SettingInForce {
  readonly section: string
  readonly name: string
  /** Its text; of a secret only that it is set. */
  readonly value: string
  /** `--var`, `environment` with the spelling that is used, the file of the state folder, or `default`. */
  readonly source: string
}

/** Everything that was found; nothing in it is secret. */
export interface Diagnosis {
  readonly version: string
  readonly node: string
  readonly platform: string
  /** The version of the installed runtime; null where it is missing. */
  readonly runtime: string | null
  readonly stateFolder: string | null
  /** The start that runs on the state folder; null when there is none. */
  readonly running: FolderHolder | null
  readonly settings: readonly SettingInForce[]
  readonly warnings: readonly string[]
  readonly mistakes: readonly string[]
}

/** Checks everything that a start would read, without starting. */
export async function diagnose(args: readonly string[], environment: NodeJS.ProcessEnv): Promise<Diagnosis> {
  const read = readOptions(args, environment)
  const options = typeof read === 'string' ? null : read
  const folder = options === null ? null : resolve(options.persist)
  const runtime = runtimeVersion()
  const running = folder === null ? null : await findHolder(folder).catch(() => null)
  // A start that runs has them open.
  const databases = folder === null || running !== null ? noDatabases : lookAtDatabases(folder)
  const mistakes = [
    ...(runtime === null ? ['Cannot start: the runtime is missing, expected the package workerd'] : []),
    ...(typeof read === 'string' ? read.split('\n') : await startMistakes(read, running)),
    ...databases.mistakes,
  ]
  return {
    version,
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
    runtime,
    stateFolder: folder,
    running,
    settings: settingsInForce(givenVariables(args), environment, options),
    warnings: [...(options?.warnings ?? []), ...databases.warnings],
    mistakes,
  }
}

/** The options, or the lines of all mistakes. */
function readOptions(args: readonly string[], environment: NodeJS.ProcessEnv): StartOptions | string {
  try {
    const options = parseStartOptions(args, environment)
    return options ?? 'Cannot start: --help prints the options and starts nothing'
  } catch (error) {
    return messageOf(error)
  }
}

const noDatabases: DatabaseReport = { mistakes: [], warnings: [] }

/** Finds the mistakes of a start; the ports of one that runs on the folder count as free. */
async function startMistakes(options: StartOptions, running: FolderHolder | null): Promise<readonly string[]> {
  const folder = await collectMistakes(async () => assertStateFolder(options.persist))
  const ports = await collectMistakes(() => assertPortsFree(listPlaces(options), running?.addresses))
  const secrets = await collectMistakes(async () => assertSecrets(options.persist))
  return [...folder, ...secrets, ...ports, ...(await collectMistakes(() => readSources(options)))]
}

/** Runs a check of a start and takes its error apart. */
async function collectMistakes(check: () => Promise<unknown>): Promise<readonly string[]> {
  try {
    await check()
    return []
  } catch (error) {
    return messageOf(error).split('\n')
  }
}

function runtimeVersion(): string | null {
  try {
    const manifest: { readonly version: string } = createRequire(import.meta.url)('workerd/package.json')
    return manifest.version
  } catch {
    return null
  }
}

function givenVariables(args: readonly string[]): ReadonlySet<string> {
  const texts = args.flatMap((arg, at) => (arg === '--var' ? (args[at + 1] ?? []) : arg.replace(/^--var=/, '')))
  return new Set(texts.flatMap((text) => /^(\w+)=/.exec(text)?.[1] ?? []))
}

function settingsInForce(
  given: ReadonlySet<string>,
  environment: NodeJS.ProcessEnv,
  options: StartOptions | null,
): readonly SettingInForce[] {
  const kept = options === null ? new Set<string>() : keptSecretNames(resolve(options.persist))
  return sections.flatMap(({ title, table }) =>
    Object.entries(table).map(([name, row]) => {
      const { source, text } = findSource([name, ...row.aliases])
      return { section: title, name, value: showValue(row, text, source), source }
    }),
  )

  /** The source that wins over the others, and the text that it gives; secrets.json gives none. */
  function findSource(spellings: readonly string[]): { readonly source: string; readonly text?: string | undefined } {
    const option = spellings.find((spelling) => given.has(spelling))
    if (option !== undefined) return { source: '--var', text: options?.vars[option] }
    const variable = spellings.find((spelling) => (environment[spelling] ?? '') !== '')
    if (variable !== undefined) return { source: `environment ${variable}`, text: environment[variable] }
    return { source: spellings.some((spelling) => kept.has(spelling)) ? 'secrets.json' : 'default' }
  }
}

function showValue(row: Variable<unknown>, text: string | undefined, source: string): string {
  if (row.isSecret) return source === 'default' ? 'not set' : 'set, not shown'
  return text ?? showDefault(row).replaceAll('`', '')
}
