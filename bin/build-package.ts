/** `npm run build:package`, which `npm pack` runs first: everything in `dist` that the installed package needs. */

import { bundleConsole } from './bundle-console.ts'
import { buildClients } from './package/client.ts'
import { buildCommand } from './package/command.ts'
import { buildLimiter } from './package/limiter.ts'
import { buildRuntime } from './package/runtime.ts'

buildClients()
await Promise.all([buildCommand(), buildLimiter(), buildRuntime(), bundleConsole()])
