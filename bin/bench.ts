/** `npm run bench`. */

import { runBenches } from '#bench/run.ts'
import { runCommand } from './command-line.ts'

await runCommand(() => runBenches(process.argv.slice(2)))
