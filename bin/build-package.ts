/** `npm run build:package`, which `npm pack` runs first: everything in `dist` that the installed packages need. */

import { bundleConsole } from './bundle-console.ts'
import { buildBundled } from './package/bundled.ts'
import { buildClients } from './package/client.ts'
import { buildCommand } from './package/command.ts'
import { describeLibrary } from './package/library.ts'
import { buildRuntime } from './package/runtime.ts'

buildClients()
await Promise.all([buildCommand(), buildBundled(), buildRuntime(), bundleConsole()])
describeLibrary()
