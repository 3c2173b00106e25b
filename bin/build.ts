/**
 * `npm run build`: bundles every Worker into `.build/workers`, the console into `public/console` and the modules that
 * pages load into `public/lib`, and compiles the client into `dist`, so that `import 'sluice/streamnet'` works inside the project as well.
 */

import { bundleConsole } from './bundle-console.ts'
import { bundlePages } from './bundle-pages.ts'
import { bundleWorkers } from './bundle-workers.ts'
import { buildClients } from './package/client.ts'

await Promise.all([bundleWorkers(), bundlePages(), bundleConsole()])
buildClients()
