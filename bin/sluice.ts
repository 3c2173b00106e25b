/** `sluice COMMAND`: one command for everything that runs on a person's machine. */

import { version } from '../src/base/version.ts'
import { completionScript } from './sluice/completion.ts'
import { findCommand } from './sluice/find-command.ts'
import { helpText } from './sluice/help.ts'

try {
  await run(process.argv.slice(2))
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}

async function run(args: readonly string[]): Promise<void> {
  const [word, second] = args
  if (word === '--version') return print(`${version}\n`)
  if (word === undefined || word === '--help' || (word === 'help' && second === undefined))
    return print(helpText())
  if (word === 'completion') return print(completionScript(second))
  // The help of a command is what the command says of itself.
  const found = findCommand(word === 'help' ? [...args.slice(1), '--help'] : args)
  process.argv = [...process.argv.slice(0, 2), ...found.args]
  await found.command.load()
}

function print(text: string): void {
  process.stdout.write(text)
}
