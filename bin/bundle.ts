/** `node bin/run.mjs bundle`: the console's files, which `wrangler` asks for before it deploys. */

import { bundleConsole } from './bundle-console.ts'

await bundleConsole()
