/** `sluice COMMAND`: one command for everything that runs on a person's machine. */

import { messageOf } from '#base/errors.ts'
import { version } from '#base/version.ts'
import { completionScript } from './sluice/completion.ts'
import { findCommand } from './sluice/find-command.ts'
import { helpText } from './sluice/help.ts'

try {
  await run(process.argv.slice(2))
} catch (error) {
  console.error(missingPackage(error) ?? messageOf(error))
  process.exitCode = 1
}

/** Advice about a package that was left out at the installation; null for every other failure. */
function missingPackage(error: unknown): string | null {
  const { code, message } = error instanceof Error ? (error as NodeJS.ErrnoException) : {}
  const [, name] = /package '([^']+)'/.exec(message ?? '') ?? []
  if (code !== 'ERR_MODULE_NOT_FOUND' || name === undefined) return null
  return `Cannot run this command: the package ${name} is not installed, expected an installation without --omit=optional`
}

async function run(args: readonly string[]): Promise<void> {
  const [word, second] = args
  if (word === '--version') return print(`${version}\n`)
  if (word === undefined || word === '--help' || (word === 'help' && second === undefined)) return print(helpText())
  if (word === 'completion') return print(completionScript(second))
  // The help of a command is what the command says of itself.
  const found = findCommand(word === 'help' ? [...args.slice(1), '--help'] : args)
  process.argv = [...process.argv.slice(0, 2), ...found.args]
  await found.command.load()
}

function print(text: string): void {
  process.stdout.write(text)
}
