/** Interface of a surface for the code that all of them share: answers, settings, readiness, metrics, the gate. */

import type { GateOperation } from '#edge/gate.ts'
import type { WithinRequest } from './request-context.ts'
import type { CheckedSurface } from './settings-check.ts'

/** The reason for a failed check goes to the log; the answer says only that it failed. */
export type Check<Env> = (env: Env, ctx: ExecutionContext) => Promise<void>

/** One surface of a deployment. */
export interface Surface<Env extends object> {
  readonly name: 'grid' | 'ratelimit' | 'streamnet'
  /** The paths that are its own where all surfaces share an address, each with those that continue it behind a slash. */
  readonly paths: readonly string[]
  readonly fetch: (request: Request, env: Env, ctx: ExecutionContext) => Promise<Response>
  /**
   * Answers a request so frequent that the cost of a context would be measurable; undefined for any other request. It
   * runs code that writes to the log `within` a context, and never rejects. The gate is not asked about such a request,
   * and its answer has no id but one that it brought.
   */
  readonly fetchFrequent?: (
    request: Request,
    env: Env,
    ctx: ExecutionContext,
    within: WithinRequest,
  ) => Promise<Response> | undefined
  readonly settings: CheckedSurface<Env>
  /** Checks for the readiness of this surface; each throws when its part is not ready. */
  readonly checks: Readonly<Record<string, Check<Env>>>
  /** Its metrics in the text format of Prometheus. */
  readonly metrics: (env: Env) => Promise<string>
  readonly gate: SurfaceGate<Env>
}

interface SurfaceGate<Env> {
  /** Kind of a request; null for one that always passes, such as a decision or a health check. */
  operationOf(request: Request, path: string): GateOperation | null
  /** Checks that the request has a token that the gate must never lock out, besides those of SLUICE_TOKENS. */
  isOperator(request: Request, env: Env): boolean
  /** The answer 429 in the surface's own form of a problem. */
  refuse(message: string, seconds: number, request: Request, env: Env): Response
}
