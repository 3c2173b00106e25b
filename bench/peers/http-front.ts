/** The HTTP front of `npm start` as a separate program: its port, and the port of the runtime, as arguments. */

import { startHttpFront } from '#bin/http-front/front.ts'
import { createUpstream } from '#bin/http-front/upstream.ts'

const [port, runtime] = process.argv.slice(2).map(Number)
const upstream = createUpstream({ host: '127.0.0.1', port: runtime ?? 0 })
await startHttpFront({ upstream, port: port ?? 0 })
