/** The command line of `sluice streamnet`: its options and its mistakes. */

import type { ParseArgsConfig, parseArgs } from 'node:util'
import { messageOf } from '#base/errors.ts'
import { parseCommandLine } from '../command-line.ts'

/** A mistake in the command line; its message is for the person who typed it. */
export class UsageError extends Error {}

/** Writes text to standard output. */
export function print(text: string): void {
  process.stdout.write(text)
}

/**
 * Reads the options of a command as `parseCommandLine` does.
 *
 * @throws UsageError whose message begins with `action`.
 */
export function readOptions<T extends ParseArgsConfig>(
  action: string,
  config: T,
): ReturnType<typeof parseArgs<T>>['values'] {
  try {
    return parseCommandLine(action, config).values
  } catch (error) {
    throw new UsageError(messageOf(error))
  }
}
