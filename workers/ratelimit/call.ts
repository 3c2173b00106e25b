/** One request to the operator plane, as its handlers get it. */

import type { RatelimitEnv } from '#objects/ratelimit/env.ts'

/** A request with its deployment. */
export interface Call {
  readonly request: Request
  readonly url: URL
  readonly env: RatelimitEnv
  readonly ctx: ExecutionContext
}
