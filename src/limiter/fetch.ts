/** A limit around a handler of `fetch`: of a Worker, or of any server that takes a Request and answers a Response. */

import { judge, type MiddlewareOptions, refusalType } from './middleware.ts'

/** A handler with the arguments of its platform behind the request. */
export type FetchHandler<Rest extends readonly unknown[]> = (
  request: Request,
  ...rest: Rest
) => Response | Promise<Response>

/** Options of the limit; functions take the handler's arguments. */
export type FetchLimitOptions<Rest extends readonly unknown[]> = MiddlewareOptions<readonly [request: Request, ...Rest]>

/**
 * Puts a limit around a handler.
 *
 * @param handler - answers the requests that pass.
 * @param options - the limiter, and which key a request has.
 * @example
 * export default { fetch: rateLimit(answer, { limiter: (_, env) => createLimiter({ binding: env.LIMITER }), key }) }
 */
export function rateLimit<Rest extends readonly unknown[]>(
  handler: FetchHandler<Rest>,
  options: FetchLimitOptions<Rest>,
): (request: Request, ...rest: Rest) => Promise<Response> {
  return async (request, ...rest) => {
    const { fields, refusal } = await judge(options, request, ...rest)
    const answer =
      refusal === undefined
        ? await handler(request, ...rest)
        : new Response(refusal.body, { status: refusal.status, headers: { 'content-type': refusalType } })
    return fields.length === 0 ? answer : withFields(answer, fields)
  }
}

/** Headers of an answer from another part of the platform cannot change, so it is copied. */
function withFields(answer: Response, fields: readonly (readonly [name: string, value: string])[]): Response {
  // A WebSocket's answer cannot be copied.
  if (answer.status === 101) return answer
  const copy = new Response(answer.body, answer)
  for (const [name, value] of fields) copy.headers.set(name, value)
  return copy
}
