/** Command lines of this folder: options by name, and the nearest name for one that is mistyped. */

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

/**
 * Reads a command line, as `parseArgs` of Node does.
 *
 * @param action - the first words of an error, such as "Cannot start".
 * @throws Error with one sentence; that of an unknown option names the nearest one, and an option with an empty
 *   value is one unless its default is empty.
 */
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
    throw new Error(`${action}: there is no option ${option}${perhaps(option, config.options ?? {})}`, {
      cause: error,
    })
  }
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
