/** Outcomes of requests: a result as JSON text, or with a problem; both can be kept and sent as they are. */

import { isStreamNetError, type StreamNetErrorCode } from '../streamnet/index.ts'
import { GatewayError, type GatewayErrorCode, type Mistake } from './errors.ts'
import { toJson } from './json.ts'

/** Every code a caller of the gateway may see; `internal` means a defect, whose details are only in the log. */
export type ProblemCode = GatewayErrorCode | StreamNetErrorCode | 'internal'

/** A problem, for a caller. Texts of the network are kept as they are. */
export interface Problem {
  readonly code: ProblemCode
  readonly message: string
  readonly hint?: string
  readonly mistakes?: readonly Mistake[]
  /** The data of the code: `hash`, `height`, `log` and the like; a structure as JSON text. */
  readonly data?: Readonly<Record<string, string | number | boolean | null>>
}

/** A result or a problem. */
export type Outcome = { readonly ok: true; readonly result: string } | { readonly ok: false; readonly problem: Problem }

/** Turns anything thrown into a problem; causes and stacks stay behind. */
export function toProblem(error: unknown): Problem {
  if (isStreamNetError(error)) {
    const { code, message, hint } = error
    return { code, message, ...(hint && { hint }), ...writeData(error.data) }
  }
  if (error instanceof GatewayError) {
    const { code, message, hint, mistakes } = error
    return { code, message, ...(hint && { hint }), ...(mistakes.length > 0 && { mistakes }) }
  }
  return { code: 'internal', message: "Internal error; see the gateway's log" }
}

function writeData(data: unknown): Pick<Problem, 'data'> {
  const members = Object.entries(toJson(data) ?? {}).map(([name, value]) => [
    name,
    typeof value === 'object' && value !== null ? JSON.stringify(value) : value,
  ])
  return members.length > 0 ? { data: Object.fromEntries(members) } : {}
}
