/** Command lines of this folder: options by name, and the nearest name for one that is mistyped. */

import { basename } from 'node:path'
import { type ParseArgsConfig, parseArgs } from 'node:util'
import { messageOf } from '#base/errors.ts'
import { nearest } from '#base/nearest.ts'

/** Runs a command; the message of its error goes to standard error, and the exit code is 1 then. */
export async function runCommand(run: () => unknown): Promise<void> {
  try {
    await run()
  } catch (error) {
    console.error(messageOf(error))
    process.exitCode = 1
  }
}

type Options = NonNullable<ParseArgsConfig['options']>

/** Values of options by their names. */
type Values<T extends Options> = ReturnType<
  typeof parseArgs<{ options: T; args: string[]; allowPositionals: true }>
>['values']

interface Tool<T extends Options> {
  /** Begins each error, such as "Cannot start". */
  readonly action: string
  /** The text of `--help`, an option that every tool has. */
  readonly usage: string
  readonly options: T
  /** True where it takes words beside options. */
  readonly hasWords?: boolean
}

/** Runs a command of this process's command line as `runCommand` does. */
export function runTool<const T extends Options>(
  { action, usage, options, hasWords = false }: Tool<T>,
  run: (values: Values<T>, words: readonly string[]) => unknown,
): Promise<void> {
  return runCommand(() => {
    const all: Options = { ...options, help: { type: 'boolean' } }
    const args = process.argv.slice(2)
    const { values, positionals } = parseCommandLine(action, { args, options: all, allowPositionals: hasWords })
    // Those of `options`, beside that of `--help`.
    return values.help === true ? process.stdout.write(usage) : run(values as Values<T>, positionals)
  })
}

/** Reads a command line as `parseArgs` of Node does; an error begins with `action`, such as "Cannot start". */
export function parseCommandLine<T extends ParseArgsConfig>(
  action: string,
  config: T,
): ReturnType<typeof parseArgs<T>> {
  try {
    const parsed = parseArgs(config)
    refuseEmpty(action, parsed.values, config.options ?? {})
    return parsed
  } catch (error) {
    const { message = '', code = undefined } = error instanceof Error ? (error as NodeJS.ErrnoException) : {}
    if (code === undefined || !code.startsWith('ERR_PARSE_ARGS')) throw error
    const [, option] = /^Unknown option '(-[^'\s]*)'/.exec(message) ?? []
    const [, word] = /^Unexpected argument '([^']*)'/.exec(message) ?? []
    if (word !== undefined) throw new Error(`${action}: "${word}" is not an option, see --help`, { cause: error })
    // What Node adds after the first sentence is about arguments that begin with a dash.
    if (option === undefined) throw new Error(`${action}: ${message.split('. ')[0]}`, { cause: error })
    throw new Error(`${action}: there is no option ${option}${perhaps(option, config.options ?? {})}`, { cause: error })
  }
}

/** Reads an option that is a whole number from 0, or from `least`; an error begins with `action`. */
export function parseWhole(
  action: string,
  option: string,
  text: string,
  { least, most }: { readonly least?: number; readonly most: number },
): number {
  const value = Number(text)
  if (/^\d{1,10}$/.test(text) && value <= most && value >= (least ?? 0)) return value
  const range = least === undefined ? `up to ${most}` : `from ${least} to ${most}`
  throw new Error(`${action}: ${option} is "${text.slice(0, 200)}", expected a whole number ${range}`)
}

/** Checks the address of a service that a front is started for. */
export function assertUpstream(url: string): void {
  if (URL.canParse(url) && /^https?:/.test(url)) return
  throw new Error(
    `Cannot start: --upstream is "${url.slice(0, 200)}", expected an address such as http://127.0.0.1:8080`,
  )
}

/** Settles at a signal that ends a front. Called before the address is printed: a reader of it may signal at once. */
export function stopSignal(): Promise<void> {
  return new Promise((stop) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => stop())
  })
}

/** The script of this process, and the first arguments with which it runs a command of `sluice` again. */
export function runAgain(command: string, ...words: readonly string[]): { script: string; args: readonly string[] } {
  const [, script = ''] = process.argv
  // The command `sluice` has taken its first argument away; the script of a single command never had it.
  const isOwnScript = basename(script).startsWith(command)
  return { script, args: isOwnScript ? words : [command, ...words] }
}

/** An empty text is what a shell makes of a variable that is not set: as a folder it would mean the current one. */
function refuseEmpty(action: string, values: object, options: NonNullable<ParseArgsConfig['options']>): void {
  const empty = Object.entries(values).find(
    ([name, value]) => [value].flat().includes('') && options[name]?.default !== '',
  )
  if (empty !== undefined) throw new Error(`${action}: --${empty[0]} is "", expected a value`)
}

function perhaps(option: string, options: object): string {
  const near = nearest(option, Object.keys(options))
  return near === undefined ? ', see --help' : `, perhaps --${near}`
}
