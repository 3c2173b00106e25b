/** `npm run build`: bundles every Worker into `.build/workers`, and the modules that pages load into `public/lib`. */

import { bundlePages } from './bundle-pages.ts'
import { bundleWorkers } from './bundle-workers.ts'

await Promise.all([bundleWorkers(), bundlePages()])
