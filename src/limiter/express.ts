/** Middleware for Express, and for servers of Node with the same three arguments. */

import { judge, type MiddlewareOptions, refusalType } from './middleware.ts'

/** The part of a response that the middleware uses. */
export interface ExpressResponse {
  statusCode: number
  setHeader(name: string, value: string): unknown
  end(body: string): unknown
}

/** Options of the middleware; functions take the request and the response. */
export type ExpressLimitOptions<Request, Response> = MiddlewareOptions<readonly [request: Request, response: Response]>

/**
 * Makes a middleware that limits requests.
 *
 * @param options - the limiter, and which key a request has.
 * @example
 * app.use(rateLimit({ limiter: createLimiter({ url, token }), key: (request) => request.ip }))
 */
export function rateLimit<Request, Response extends ExpressResponse>(
  options: ExpressLimitOptions<Request, Response>,
): (request: Request, response: Response, next: (error?: unknown) => void) => Promise<void> {
  return async (request, response, next) => {
    let passes = false
    try {
      const { fields, refusal } = await judge(options, request, response)
      for (const [name, value] of fields) response.setHeader(name, value)
      passes = refusal === undefined
      if (refusal !== undefined) {
        response.statusCode = refusal.status
        response.setHeader('content-type', refusalType)
        response.end(refusal.body)
      }
    } catch (error) {
      return next(error)
    }
    if (passes) next()
  }
}
