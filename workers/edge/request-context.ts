/** Context of the running request: its id, its surface, its operator, its trace. */

import { AsyncLocalStorage } from 'node:async_hooks'
import type { LogFields } from '#base/logger.ts'
import { isOperatorAllowed, type OperatorArea, type OperatorScope } from '#edge/operator-tokens.ts'
import { isReading } from './is-reading.ts'

/** The place of a request in its trace. */
export interface RequestTrace {
  readonly traceId: string
  /** The span of this request. */
  readonly spanId: string
  /** The caller's span; undefined where the trace begins here. */
  readonly parentSpanId: string | undefined
  /** Further spans that this request may make. */
  spansLeft: number
}

/** An operator that was recognised by a token of SLUICE_TOKENS. */
export interface Operator {
  readonly name: string
  readonly scopes: readonly OperatorScope[]
}

/** One request to one surface. */
export interface RequestContext {
  /** The id that the request brought, or one that is made when it is first asked for. */
  readonly requestId: () => string
  readonly surface: string
  /** The pattern of its path, of which there are few; undefined until a surface has found it. */
  route: string | undefined
  /** True when the answer has an id that the request did not bring. */
  returnsMadeId: boolean
  readonly operator: Operator | undefined
  /** Undefined when the request is not traced. */
  readonly trace: RequestTrace | undefined
}

const contexts = new AsyncLocalStorage<RequestContext>()

/** Runs a request; everything that it calls and awaits finds its context. */
export function runRequest<Result>(context: RequestContext, body: () => Result): Result {
  return contexts.run(context, body)
}

/** Runs what may write to the log, so that its lines say which request they are about. */
export type WithinRequest = <Result>(body: () => Result) => Result

/** Runs code that is within the context of its request already. */
export const runInPlace: WithinRequest = (body) => body()

/** The context of the request that runs; undefined outside of one. */
export function currentRequest(): RequestContext | undefined {
  return contexts.getStore()
}

/** Names the route of the request that runs, for its span: a pattern, so that routes are few. */
export function nameRoute(route: string): void {
  const context = contexts.getStore()
  if (context !== undefined) context.route = route
}

/** Leaves the answer without an id of ours: writing the header costs a tenth of a decision from the cache. */
export function returnNoMadeId(): void {
  const context = contexts.getStore()
  if (context !== undefined) context.returnsMadeId = false
}

/** Fields that every log line of a request has. */
export function requestFields(): LogFields {
  const context = contexts.getStore()
  return context === undefined ? {} : { surface: context.surface, request_id: context.requestId() }
}

/** The operator of the running request, if its scopes cover the area; those for reading cover no secrets. */
export function allowedOperator(
  area: OperatorArea,
  request: Pick<Request, 'method'>,
  { revealsSecrets = false }: { readonly revealsSecrets?: boolean } = {},
): Operator | undefined {
  const operator = contexts.getStore()?.operator
  const scope = { isReading: !revealsSecrets && isReading(request) }
  return operator !== undefined && isOperatorAllowed(operator.scopes, area, scope) ? operator : undefined
}
