/** One request to a surface from its arrival to its answer: id, operator, gate, trace, and the surface between them. */

import { gateRefusal } from '#edge/gate.ts'
import type { OperatorToken } from '#edge/operator-tokens.ts'
import { readRequestId, requestIdHeader } from '#edge/request-id.ts'
import type { OperationsSettings } from '#edge/settings.ts'
import { clientAddress } from './client-address.ts'
import { checkLimit, type Gate, type Limiter, reportFailedToken } from './gate.ts'
import { operationsOf } from './operations-isolate.ts'
import { identify, type Presented } from './operator.ts'
import { type RequestContext, runRequest } from './request-context.ts'
import { logAnswer } from './request-log.ts'
import type { Surface } from './surface.ts'
import { traceBindings } from './traced-bindings.ts'
import { beginTrace, recordRequest } from './tracer.ts'

/** The length of the token's hash that rules and counters see, in hex digits: enough to tell tokens apart. */
const shownHashDigits = 16

interface Visit<Env extends object> {
  readonly surface: Surface<Env>
  readonly request: Request
  readonly env: Env
  readonly ctx: ExecutionContext
  readonly settings: OperationsSettings
  readonly presented: Presented<OperatorToken> | undefined
}

/** A surface, and the rate limit service that its gate asks; undefined where that is not deployed. */
export interface GuardedSurface<Env extends object> {
  readonly surface: Surface<Env>
  readonly limiter: Limiter | undefined
}

/** Answers one request to a surface, behind the limiter where there is one. */
export function serveSurface<Env extends object>(
  { surface, limiter }: GuardedSurface<Env>,
  request: Request,
  env: Env,
  ctx: ExecutionContext,
): Promise<Response> {
  const settings = operationsOf(env)
  const brought = readRequestId((header) => request.headers.get(header))
  const frequent = settings.traces === null ? serveFrequent(surface, request, env, { ctx, brought }) : undefined
  return frequent ?? serveAny({ surface, request, env, ctx, settings }, brought, limiter)
}

/** Answers a frequent request, for which a context is made only where its code writes to the log. */
function serveFrequent<Env extends object>(
  surface: Surface<Env>,
  request: Request,
  env: Env,
  { ctx, brought }: { readonly ctx: ExecutionContext; readonly brought: string | undefined },
): Promise<Response> | undefined {
  const answer = surface.fetchFrequent?.(request, env, ctx, (body) =>
    runRequest(beginContext(surface.name, brought), body),
  )
  return brought === undefined ? answer : answer?.then((response) => withRequestId(response, brought))
}

async function serveAny<Env extends object>(
  arrival: Omit<Visit<Env>, 'presented'>,
  brought: string | undefined,
  limiter: Limiter | undefined,
): Promise<Response> {
  const { surface, request, env, ctx, settings } = arrival
  const hasTokens = settings.operatorTokens.length > 0 || settings.isGateEnabled
  const presented = hasTokens ? await identify(request, settings.operatorTokens) : undefined
  const trace = settings.traces === null ? undefined : beginTrace(request, settings.traces)
  const context = { ...beginContext(surface.name, brought), operator: presented?.owner, trace }
  // Undefined where the gate is off or the rate limiter is not deployed.
  const gate =
    settings.isGateEnabled && limiter !== undefined
      ? { limiter, callerToken: settings.gateCallerToken, env }
      : undefined
  const bindings = trace === undefined ? env : traceBindings(env)
  const startMs = Date.now()
  const visit: Visit<Env> = { ...arrival, env: bindings, presented }
  const isGuarded = gate !== undefined && presented?.owner === undefined
  const response = await runRequest(context, () =>
    isGuarded ? answerBehindGate(visit, gate) : surface.fetch(request, bindings, ctx),
  )
  recordVisit(visit, context, startMs, response.status)
  const isReturned = brought !== undefined || context.returnsMadeId
  return isReturned ? withRequestId(response, context.requestId()) : response
}

/** Makes the context of a request to a surface, with the id that the request brought. */
export function beginContext(surface: string, brought: string | undefined): RequestContext {
  let id = brought
  // Made when it is first asked for: most decisions never write it.
  const requestId = () => {
    id ??= crypto.randomUUID()
    return id
  }
  return { requestId, surface, route: undefined, returnsMadeId: true, operator: undefined, trace: undefined }
}

/** The surface's answer, unless the gate is closed. */
async function answerBehindGate<Env extends object>(visit: Visit<Env>, gate: Gate): Promise<Response> {
  const { surface, request, env, ctx, presented } = visit
  const operation = surface.gate.operationOf(request, new URL(request.url).pathname)
  if (operation === null || surface.gate.isOperator(request, env)) return surface.fetch(request, env, ctx)
  const address = clientAddress(request)
  const token = presented?.sha256.slice(0, shownHashDigits)
  const seconds = await checkLimit(gate, { operation, address, token })
  if (seconds !== null) return refuse(visit, seconds)
  const response = await surface.fetch(request, env, ctx)
  if (response.status === 401 && token !== undefined) ctx.waitUntil(reportFailedToken(gate, address))
  return response
}

async function refuse<Env extends object>(visit: Visit<Env>, seconds: number): Promise<Response> {
  const { surface, request, env } = visit
  const response = surface.gate.refuse(gateRefusal(seconds), seconds, request, env)
  await logAnswer(env, request, response)
  return response
}

/** Writes the request's id to an answer; one from another part of the platform has fixed headers and is copied. */
function withRequestId(response: Response, id: string): Response {
  try {
    response.headers.set(requestIdHeader, id)
    return response
  } catch {
    const headers = new Headers(response.headers)
    headers.set(requestIdHeader, id)
    const { status, statusText } = response
    return new Response(response.body, { status, statusText, headers })
  }
}

function recordVisit<Env extends object>(
  { surface, request, settings, env, ctx }: Visit<Env>,
  { trace, route, requestId, operator }: RequestContext,
  startMs: number,
  status: number,
): void {
  if (trace === undefined || settings.traces === null) return
  const { traceId, spanId, parentSpanId } = trace
  const method = request.method.slice(0, 16)
  const attributes = {
    'sluice.surface': surface.name,
    'sluice.request_id': requestId(),
    'http.request.method': method,
    ...(route !== undefined && { 'http.route': route }),
    'http.response.status_code': status,
    ...(operator !== undefined && { 'sluice.operator': operator.name }),
  }
  const span = {
    traceId,
    spanId,
    ...(parentSpanId !== undefined && { parentSpanId }),
    name: route === undefined ? method : `${method} ${route}`,
    kind: 'server',
    startMs,
    endMs: Date.now(),
    attributes,
    ...(status >= 500 && { failure: `answered ${status}` }),
  } as const
  recordRequest(span, settings.traces, env, ctx)
}
