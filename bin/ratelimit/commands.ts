/** The commands of `sluice ratelimit`: each reads its source, and checks it or pushes it to a running service. */

import { hostname, userInfo } from 'node:os'
import { messageOf } from '#base/errors.ts'
import { counted } from '#base/naming.ts'
import { checkFiles, parseFiles } from '#ratelimit/config/compile.ts'
import { listLimits } from '#ratelimit/config/dump.ts'
import { unknownToReference } from '#ratelimit/config/sluice-blocks.ts'
import type { Settings } from '#ratelimit/settings.ts'
import { readControlPlane } from '../xds/settings.ts'
import { changesText, mistakeLine, pathsOf, pushFiles, refusalLines, type Service, shownNames } from './push.ts'
import {
  fingerprint,
  type LocatedFile,
  type RuntimeDirectory,
  readConfigDirectory,
  runtimeDirectory,
  watchRuntimeDirectory,
} from './runtime-directory.ts'

/** A command as its line has it. */
interface Command {
  readonly settings: Settings
  /** The folder of configuration files; undefined for `watch` and `xds`. */
  readonly directory: string | undefined
  readonly url: string
  /** True where a push may remove files of the service. */
  readonly removes: boolean
  readonly isJson: boolean
  /** True where a check is for the reference service too. */
  readonly isForReference: boolean
}

/** Compiles the files. Like every command it gives the exit code: 1 when there are mistakes. */
export async function check(command: Command): Promise<number> {
  const files = await readNamed(command)
  const paths = pathsOf(files)
  const parsed = parseFiles(files)
  const { rules, mistakes } = checkFiles(parsed, { mergeDomains: command.settings.MERGE_DOMAIN_CONFIG })
  const unknown = command.isForReference ? unknownToReference(parsed) : []
  const lines = [...mistakes, ...unknown].map((mistake) => mistakeLine(mistake, paths))
  if (lines.length > 0) return printMistakes(command, lines)
  const facts = { files: files.length, domains: rules.domains.size, limits: listLimits(rules).length }
  const { domains, limits } = facts
  const counts = [counted(facts.files, 'file'), counted(domains, 'domain'), counted(limits, 'limit')]
  return report(command, facts, `all rate limit configs ok: ${counts.join(', ')}`)
}

/** Pushes the files of the folder once. */
export async function push(command: Command): Promise<number> {
  return pushOnce(command, await readNamed(command), readService(command))
}

/** Pushes what the RUNTIME_* settings name, now and at every change, until a signal. */
export async function watch(command: Command): Promise<number> {
  const source = watchedDirectory(command)
  const service = readService(command)
  const signal = stopSignal()
  const pushAll = async () => void (await pushOnce(command, await readConfigDirectory(source), service))
  const since = await fingerprint(source)
  await pushAll()
  await watchRuntimeDirectory(source, pushAll, {
    signal,
    since,
    // The watch goes on, and tries again.
    onFailure: (error) => console.error(messageOf(error)),
  })
  return 0
}

/** Pushes what the control plane of the CONFIG_GRPC_XDS_* settings sends, until a signal. */
export async function followXds(command: Command): Promise<number> {
  const plane = readControlPlane(command.settings)
  const service = readService(command)
  // Loaded only here: its client of gRPC takes a tenth of a second.
  const { followControlPlane } = await import('../xds/follow.ts')
  await followControlPlane(plane, {
    signal: stopSignal(),
    publish: (files) => pushFiles(service, files),
    say: (line) => void report(command, { line }, line),
  })
  return 0
}

function stopSignal(): AbortSignal {
  const stop = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort())
  return stop.signal
}

async function pushOnce(command: Command, files: readonly LocatedFile[], service: Service): Promise<number> {
  const result = await pushFiles(service, files, { removes: command.removes })
  if (result.kind === 'surplus') return refuseRemoval(command, result.removed)
  if (result.kind === 'refused') return printMistakes(command, result.mistakes, result.leftOut)
  if (result.kind === 'kept') return 0
  const { revision, changes } = result
  const sentence = `revision ${revision} runs, ${counted(files.length, 'file')}${changesText(changes)}`
  return report(command, { revision, changes }, sentence)
}

function refuseRemoval({ directory, isJson }: Command, removed: readonly string[]): number {
  if (isJson) print(JSON.stringify({ wouldRemove: removed }))
  else {
    console.error(
      `Cannot push "${directory}": it would remove ${counted(removed.length, 'file')} that the service has and the folder has not (${shownNames(removed)}), expected --prune to remove them`,
    )
  }
  return 1
}

/** The folder that the RUNTIME_* settings name; an error where they name none. */
function watchedDirectory({ settings }: Command): RuntimeDirectory {
  const source = runtimeDirectory(settings)
  if (source !== null) return source
  const { RUNTIME_ROOT, RUNTIME_SUBDIRECTORY, RUNTIME_APPDIRECTORY } = settings
  throw new Error(
    `Cannot watch: RUNTIME_ROOT is "${RUNTIME_ROOT}", RUNTIME_SUBDIRECTORY is "${RUNTIME_SUBDIRECTORY}" and RUNTIME_APPDIRECTORY is "${RUNTIME_APPDIRECTORY}", expected the first two set, or with RUNTIME_WATCH_ROOT=false one of them and the third`,
  )
}

/** Reads the folder that the command line names; an empty one is refused, because a push would take every rule. */
async function readNamed({ directory = '', settings }: Command): Promise<readonly LocatedFile[]> {
  const ignoresDotFiles = settings.RUNTIME_IGNOREDOTFILES
  const files = await readConfigDirectory({ directory, keyPrefix: 'config', ignoresDotFiles }).catch(
    (error: unknown) => {
      throw new Error(`Cannot read "${directory}": ${describeReason(error)}`, { cause: error })
    },
  )
  if (files.length > 0) return files
  throw new Error(`Cannot read "${directory}": it has no files, expected a folder with the rules`)
}

function describeReason(error: unknown): string {
  const { code, message = String(error) } = error instanceof Error ? (error as NodeJS.ErrnoException) : {}
  if (code === 'ENOENT') return 'there is no such folder'
  if (code === 'ENOTDIR') return 'it is a file, expected a folder'
  return message
}

function readService({ url }: Command): Service {
  const token = process.env.ADMIN_TOKEN ?? ''
  if (token === '') throw new Error('Cannot push: ADMIN_TOKEN is not set, expected the token of the service')
  if (!URL.canParse(url))
    throw new Error(`Cannot push: --url is "${url}", expected an address such as http://127.0.0.1:8080`)
  return { url, token, who: `${userInfo().username}@${hostname()}` }
}

function printMistakes({ isJson }: Command, mistakes: readonly string[], leftOut = 0): number {
  if (isJson) print(JSON.stringify({ mistakes, ...(leftOut > 0 && { leftOut }) }))
  else for (const line of refusalLines({ kind: 'refused', mistakes, leftOut })) console.error(line)
  return 1
}

/** Prints what was done, the facts as JSON or the sentence; 0 is the exit code of a command that ends with it. */
function report({ isJson }: Command, facts: Readonly<Record<string, unknown>>, sentence: string): number {
  print(isJson ? JSON.stringify(facts) : sentence)
  return 0
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
