/** `node bin/run.mjs ratelimit`: check a configuration, push it to a service, or push what a directory or a control plane has. */

import { hostname, userInfo } from 'node:os'
import { messageOf } from '#base/errors.ts'
import { nearest } from '#base/nearest.ts'
import { checkRules, readFiles } from '#ratelimit/config/compile.ts'
import { listLimits } from '#ratelimit/config/dump.ts'
import { unknownToReference } from '#ratelimit/config/sluice-blocks.ts'
import { readSettings, type Settings } from '#ratelimit/settings.ts'
import { parseCommandLine, runCommand } from './command-line.ts'
import {
  changesText,
  counted,
  mistakeLine,
  pathsOf,
  pushFiles,
  refusalLines,
  type Service,
  shownNames,
} from './ratelimit/push.ts'
import {
  fingerprint,
  type LocatedFile,
  type RuntimeDirectory,
  readConfigDirectory,
  runtimeDirectory,
  watchRuntimeDirectory,
} from './ratelimit/runtime-directory.ts'
import { readControlPlane } from './xds/settings.ts'

const usage = `Usage: sluice ratelimit COMMAND [OPTION ...]

  check DIR            compile the files below DIR and print every mistake
  push DIR             make the files below DIR the configuration of a running service
  watch                push what the RUNTIME_* settings name, now and at every change, until stopped
  xds                  push what the control plane of the CONFIG_GRPC_XDS_* settings sends, until stopped
  ask, tail            see sluice ratelimit ask -help and sluice ratelimit tail --help

  --reference          with check: print what the reference service would refuse of the files as well
  --prune              with push: remove the files of the service that are not in DIR; without it a push that
                       would remove one changes nothing and names them
  --url URL            the service, for push, watch and xds (http://127.0.0.1:8080)
  --json               print one JSON object per line
  --help               print this

The service's token comes from the environment variable ADMIN_TOKEN; MERGE_DOMAIN_CONFIG and
RUNTIME_IGNOREDOTFILES are honoured by every command. Exit code 0: done; 1: a mistake or a failure.
`

const options = {
  url: { type: 'string', default: 'http://127.0.0.1:8080' },
  prune: { type: 'boolean', default: false },
  reference: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const

const commands = ['check', 'push', 'watch', 'xds']
/** Commands whose settings name their source. */
const followers: readonly (string | undefined)[] = ['watch', 'xds']

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

await runCommand(async () => {
  process.exitCode = await run(process.argv.slice(2))
})

async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseCommandLine('Cannot run ratelimit', {
    args: [...args],
    options,
    allowPositionals: true,
  })
  if (values.help) return print(usage)
  const [name, directory, ...rest] = positionals
  const command = {
    settings: readSettings(ownVariables(), true),
    directory,
    url: values.url,
    removes: values.prune || followers.includes(name),
    isJson: values.json,
    isForReference: values.reference,
  }
  const isComplete = rest.length === 0 && followers.includes(name) === (directory === undefined)
  if (name === 'check' && isComplete) return check(command)
  if (name === 'push' && isComplete) return pushOnce(command, await readNamed(command), readService(command))
  if (name === 'watch' && isComplete) return watch(command)
  if (name === 'xds' && isComplete) return followXds(command)
  throw new Error(`Cannot run ratelimit: ${describeProblem(positionals)}\n${usage}`.trimEnd())
}

function describeProblem([name, ...rest]: readonly string[]): string {
  if (name === undefined) return 'there is no command'
  if (!commands.includes(name)) {
    const near = nearest(name, commands)
    return `there is no command "${name}"${near === undefined ? '' : `; did you mean "${near}"?`}`
  }
  if (name === 'watch') return 'watch takes no folder; RUNTIME_ROOT and its companions name it'
  if (name === 'xds') return 'xds takes no folder; CONFIG_GRPC_XDS_SERVER_URL names the control plane'
  return rest.length === 0 ? `${name} needs a folder` : `${name} takes one folder, not ${rest.length}`
}

/** The variables that these commands honour; another of the machine, such as a PORT of another program, must not stop them. */
function ownVariables(): Readonly<Record<string, unknown>> {
  const own = /^(RUNTIME_|CONFIG_GRPC_XDS_|XDS_CLIENT_|MERGE_DOMAIN_CONFIG$)/
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => own.test(name)))
}

/** Compiles the files. Like every command it gives the exit code: 1 when there are mistakes. */
async function check(command: Command): Promise<number> {
  const files = await readNamed(command)
  const paths = pathsOf(files)
  const { rules, mistakes } = checkRules(files, { mergeDomains: command.settings.MERGE_DOMAIN_CONFIG })
  const unknown = command.isForReference ? unknownToReference(readFiles(files)) : []
  const lines = [...mistakes, ...unknown].map((mistake) => mistakeLine(mistake, paths))
  if (lines.length > 0) return printMistakes(command, lines)
  const domains = rules.domains.size
  const limits = listLimits(rules).length
  report(
    command,
    { files: files.length, domains, limits },
    `all rate limit configs ok: ${counted(files.length, 'file')}, ${counted(domains, 'domain')}, ${counted(limits, 'limit')}`,
  )
  return 0
}

async function watch(command: Command): Promise<number> {
  const source = watchedDirectory(command)
  const service = readService(command)
  const signal = stopSignal()
  const push = async () => void (await pushOnce(command, await readConfigDirectory(source), service))
  const since = await fingerprint(source)
  await push()
  await watchRuntimeDirectory(source, push, {
    signal,
    since,
    // The watch goes on, and tries again.
    onFailure: (error) => console.error(messageOf(error)),
  })
  return 0
}

async function followXds(command: Command): Promise<number> {
  const plane = readControlPlane(command.settings)
  const service = readService(command)
  // Loaded only here: its client of gRPC takes a tenth of a second.
  const { followControlPlane } = await import('./xds/follow.ts')
  await followControlPlane(plane, {
    signal: stopSignal(),
    publish: (files) => pushFiles(service, files),
    say: (line) => report(command, { line }, line),
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
  if (result.kind === 'accepted') {
    report(
      command,
      { revision: result.revision, changes: result.changes },
      `revision ${result.revision} runs, ${counted(files.length, 'file')}${changesText(result.changes)}`,
    )
  }
  return 0
}

function refuseRemoval({ directory, isJson }: Command, removed: readonly string[]): number {
  if (isJson) print(`${JSON.stringify({ wouldRemove: removed })}\n`)
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
  if (!URL.canParse(url)) throw new Error(`Cannot push: --url is "${url}", expected such as http://127.0.0.1:8080`)
  return { url, token, who: `${userInfo().username}@${hostname()}` }
}

function printMistakes({ isJson }: Command, mistakes: readonly string[], leftOut = 0): number {
  if (isJson) print(`${JSON.stringify({ mistakes, ...(leftOut > 0 && { leftOut }) })}\n`)
  else for (const line of refusalLines({ kind: 'refused', mistakes, leftOut })) console.error(line)
  return 1
}

/** Prints what was done: the facts as JSON, or the sentence. */
function report({ isJson }: Command, facts: Readonly<Record<string, unknown>>, sentence: string): void {
  print(isJson ? `${JSON.stringify(facts)}\n` : `${sentence}\n`)
}

/** Prints a text; 0 is the exit code of a command that ends with it. */
function print(text: string): number {
  process.stdout.write(text)
  return 0
}
