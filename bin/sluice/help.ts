/** The text of `sluice help`. */

import { version } from '#base/version.ts'
import { commands, wordsOf } from './commands.ts'

/** Writes every command with what it does, then an example of each. */
export function helpText(): string {
  return [
    `Sluice ${version}: a rate limit service, a grid-security simulation and a stream network gateway.`,
    '',
    'Usage: sluice COMMAND [ARGUMENT ...]',
    '',
    ...commands.map((command) => `  ${wordsOf(command).padEnd(18)} ${command.about}`),
    `  ${'completion SHELL'.padEnd(18)} print the completion script of bash or zsh`,
    `  ${'help'.padEnd(18)} print this; sluice COMMAND --help prints the options of a command`,
    `  ${'--version'.padEnd(18)} print the version`,
    '',
    'Examples',
    ...commands.map(({ example }) => `  ${example}`),
    '',
  ].join('\n')
}
