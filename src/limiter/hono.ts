/** Middleware for Hono. */

import type { Context, Env, MiddlewareHandler } from 'hono'
import { judge, type MiddlewareOptions, refusalType } from './middleware.ts'

/** Options of the middleware; functions take the context. */
export type HonoLimitOptions<E extends Env> = MiddlewareOptions<readonly [context: Context<E>]>

/**
 * Makes a middleware that limits requests.
 *
 * @param options - the limiter, and which key a request has.
 * @example
 * app.use(rateLimit<{ Bindings: Env }>({ limiter: (c) => createLimiter({ binding: c.env.LIMITER }), key: (c) => c.req.path }))
 */
export function rateLimit<E extends Env>(options: HonoLimitOptions<E>): MiddlewareHandler<E> {
  return async (context, next) => {
    const { fields, refusal } = await judge(options, context)
    if (refusal !== undefined) {
      return context.body(refusal.body, refusal.status, { ...Object.fromEntries(fields), 'content-type': refusalType })
    }
    await next()
    // Set last: a handler can replace the response.
    for (const [name, value] of fields) context.header(name, value)
    return undefined
  }
}
