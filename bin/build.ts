/**
 * `npm run build`: bundles every Worker into `.build/workers`, the console into `public/console` and the modules that
 * pages load into `public/lib`.
 */

import { bundleConsole } from './bundle-console.ts'
import { bundlePages } from './bundle-pages.ts'
import { bundleWorkers } from './bundle-workers.ts'

await Promise.all([bundleWorkers(), bundlePages(), bundleConsole()])
