/** `npm run build`: bundles every Worker into `.build/workers`. */

import { bundleWorkers } from './bundle-workers.ts'

await bundleWorkers()
