/** Spans of this isolate: made of requests and calls, queued, and sent to a collector after the answers have gone. */

import { messageOf } from '#base/errors.ts'
import { encodeHex } from '#base/hex.ts'
import { createLineBudget } from '#base/line-budget.ts'
import type { TraceSettings } from '#edge/settings.ts'
import { encodeSpans, type Span } from '#edge/span.ts'
import { createSpanQueue, maxExportedSpans } from '#edge/span-queue.ts'
import { isTraceSampled, parseTraceparent } from '#edge/trace-context.ts'
import { loggerOfEnvironment } from '#objects/base/log.ts'
import { createDelay } from './delayed-work.ts'
import type { RequestTrace } from './request-context.ts'

/** Milliseconds that spans wait for others to travel with. */
const exportAfterMs = 500
/** Spans of calls that one request may make: the first ones say where its time went. */
const maxCallSpans = 32

const queue = createSpanQueue()
const delay = createDelay()
const failures = createLineBudget(1, 60_000)

/** Finds the place of a request in a trace, below its caller's span or new; undefined when it is not recorded. */
export function beginTrace(request: Request, { ratio }: TraceSettings): RequestTrace | undefined {
  const caller = parseTraceparent(request.headers.get('traceparent'))
  const traceId = caller?.traceId ?? randomId(16)
  const isSampled = caller?.isSampled ?? isTraceSampled(traceId, ratio)
  if (!isSampled) return undefined
  return { traceId, spanId: randomId(8), parentSpanId: caller?.spanId, spansLeft: maxCallSpans }
}

/** Adds the span of a call that a request makes; beyond its share nothing is added. */
export function recordCall(trace: RequestTrace, span: Pick<Span, 'name' | 'startMs' | 'failure'>): void {
  if (trace.spansLeft <= 0) return
  trace.spansLeft -= 1
  queue.add({
    traceId: trace.traceId,
    spanId: randomId(8),
    parentSpanId: trace.spanId,
    kind: 'client',
    endMs: Date.now(),
    attributes: { 'rpc.system': 'durable_object', 'rpc.method': span.name },
    ...span,
  })
}

/** Adds the span of an answered request and sees to an export after the answer. */
export function recordRequest(
  span: Span,
  settings: TraceSettings,
  env: object,
  ctx: Pick<ExecutionContext, 'waitUntil'>,
): void {
  queue.add(span)
  delay(
    exportAfterMs,
    () => exportWaiting(settings, env),
    (run) => ctx.waitUntil(run()),
  )
}

async function exportWaiting(settings: TraceSettings, env: object): Promise<void> {
  for (let spans = queue.take(); spans.length > 0; spans = queue.take()) {
    const failure = await send(spans, settings)
    if (failure !== undefined) {
      queue.lose(spans.length)
      logLoss(env, failure)
    }
    if (failure !== undefined || spans.length < maxExportedSpans) break
  }
}

/** Says why a collector did not take spans; undefined when it did. Spans that fail are not sent again. */
async function send(spans: readonly Span[], settings: TraceSettings): Promise<string | undefined> {
  const { url, headers, timeoutMs, serviceName } = settings
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: [['content-type', 'application/json'], ...headers.map(([name, value]) => [name, value])],
      body: encodeSpans(spans, serviceName),
      signal: AbortSignal.timeout(timeoutMs),
    })
    await response.body?.cancel()
    return response.ok ? undefined : `the collector answered ${response.status}`
  } catch (error) {
    return messageOf(error)
  }
}

function logLoss(env: object, error: string): void {
  if (failures.take(Date.now()) === null) return
  loggerOfEnvironment(env).error('Cannot export spans', undefined, {
    error: error.slice(0, 200),
    lost: queue.takeLost(),
  })
}

function randomId(bytes: number): string {
  return encodeHex(crypto.getRandomValues(new Uint8Array(bytes)))
}
