/** `npm run soak`. */

import { runSoaks } from '#soak/run.ts'
import { runCommand } from './command-line.ts'

await runCommand(() => runSoaks(process.argv.slice(2)))
