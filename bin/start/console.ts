/** `sluice console`: prints a link that signs a browser in to the console of a start that runs. */

import { parseCommandLine, runCommand } from '../command-line.ts'
import { askConsoleLink } from './console-links.ts'

const usage = `Usage: sluice console [OPTION ...]

  --persist DIR        the state folder of the start (SLUICE_STATE, .sluice)
  --help               print this

Prints a link to the console that signs in a browser of this machine: once, and within ten minutes. All tabs of the
browser are signed in then.
`

const options = { persist: { type: 'string' }, help: { type: 'boolean', default: false } } as const

await runCommand(async () => {
  const { values } = parseCommandLine('Cannot make a link', { args: process.argv.slice(2), options })
  const folder = values.persist ?? (process.env.SLUICE_STATE || '.sluice')
  process.stdout.write(values.help ? usage : `${await askConsoleLink(folder)}\n`)
})
