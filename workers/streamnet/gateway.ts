/** The gateway's routes below `/streamnet/v1`; which they are is told by `src/gateway/openapi.ts`. */

import type { Hono } from 'hono'
import type { StreamnetEnv } from '../../durable-objects/env.ts'
import { GatewayError } from '../../src/gateway/errors.ts'
import { basePath, describeGateway, describeOpenApi } from '../../src/gateway/openapi.ts'
import { answering, authenticate, type Call, jsonHeaders } from './call.ts'
import * as jobs from './jobs.ts'
import { getOperation, postOperation } from './operations.ts'
import { watchStream } from './watch.ts'

type App = Hono<{ Bindings: StreamnetEnv }>
type Handler = (call: Call, name: (parameter: string) => string) => Promise<Response>

/** Adds the gateway to the surface's app. */
export function mountGateway(app: App): void {
  app.get(basePath, () => Response.json(describeGateway(), { headers: jsonHeaders }))
  app.get(`${basePath}/openapi.json`, () => Response.json(describeOpenApi(), { headers: jsonHeaders }))
  route('get', '/jobs', (call) => jobs.listJobs(call))
  route('get', '/jobs/:id', (call, name) => jobs.showJob(call, name('id')))
  route('get', '/jobs/:id/tx_hashes', (call, name) => jobs.showHashes(call, name('id')))
  route('delete', '/jobs/:id', (call, name) => jobs.cancelJob(call, name('id')))
  route('post', '/jobs/:id/resume', (call, name) => jobs.resumeJob(call, name('id')))
  route('get', '/streams/:provider/:stream/events', (call, name) =>
    watchStream(call, name('provider'), name('stream')),
  )
  route('get', '/:operation', (call, name) => getOperation(call, name('operation')))
  route('post', '/:operation', (call, name) => postOperation(call, name('operation')))
  app.all(`${basePath}/*`, (context) =>
    answering(context.req.raw, () => {
      authenticate(context.req.raw, context.env)
      throw new GatewayError(
        'unknown_operation',
        `Cannot answer ${context.req.method}: there is no such path`,
        {
          hint: `GET ${basePath} lists every operation`,
        },
      )
    }),
  )

  function route(method: 'get' | 'post' | 'delete', path: string, handler: Handler): void {
    app[method](`${basePath}${path}`, (context) =>
      answering(context.req.raw, () =>
        handler(authenticate(context.req.raw, context.env), (name) => context.req.param(name) ?? ''),
      ),
    )
  }
}
