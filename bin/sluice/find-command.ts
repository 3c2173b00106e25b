/** Finds the command that a command line means, or says which one was perhaps meant. */

import { nearest } from '#base/nearest.ts'
import { type Command, commands } from './commands.ts'

/** The words that `sluice` answers itself. */
const ownWords = ['help', 'completion', '--help', '--version'] as const

/** Finds a command, and the arguments that its module reads. */
export function findCommand(args: readonly string[]): { readonly command: Command; readonly args: readonly string[] } {
  const [name = '', second = ''] = args
  const group = commands.filter((command) => command.name === name)
  const [only] = group
  if (only === undefined) throw new Error(unknown(name, [...commands.map((one) => one.name), ...ownWords]))
  if (only.subcommand === undefined) return { command: only, args: args.slice(1) }
  const command = group.find(({ subcommand }) => subcommand === second)
  // Help and a wrong word of a group are answered by the module that most of the group shares.
  if (command === undefined && (second === '--help' || second === '')) return { command: only, args: ['--help'] }
  if (command === undefined) {
    const subcommands = group.flatMap(({ subcommand }) => subcommand ?? [])
    throw new Error(unknown(second, subcommands, `${name} `))
  }
  return { command, args: [...(command.keeps ?? []), ...args.slice(2)] }
}

function unknown(word: string, known: readonly string[], before = ''): string {
  const near = nearest(word, known)
  const right = near === undefined ? 'see sluice help' : `perhaps sluice ${before}${near}`
  return `Cannot run sluice: there is no command "${before}${word.slice(0, 100)}", ${right}`
}
