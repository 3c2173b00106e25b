/** `sluice console`: prints a link that signs a browser in to the console of a start that runs. */

import { runTool } from '../command-line.ts'
import { askConsoleLink } from './console-links.ts'

const usage = `Usage: sluice console [OPTION ...]

  --persist DIR        the state folder of the start (SLUICE_STATE, .sluice)
  --help               print this

Prints a link to the console that signs in a browser of this machine: once, and within ten minutes. All tabs of the
browser are signed in then.
`

await runTool(
  { action: 'Cannot make a link', usage, options: { persist: { type: 'string' } } },
  async ({ persist = process.env.SLUICE_STATE || '.sluice' }) =>
    process.stdout.write(`${await askConsoleLink(persist)}\n`),
)
