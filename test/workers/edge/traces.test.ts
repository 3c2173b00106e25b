/** Traces over OTLP/HTTP, seen by a collector: what a span says, whose child it is, and that a bad collector costs nothing. */

import { createServer, type Server } from 'node:http'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type RunningBundle, startBundle } from '../../support/bundle.ts'
import { fullToken, gatewayVars } from '../../support/gateway-bundle.ts'
import { gridToken } from '../../support/grid-service.ts'
import { listen } from '../../support/listen.ts'
import { adminToken } from '../../support/ratelimit-bundle.ts'

interface SentSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[]
  readonly status: { readonly code?: number }
}

/** A collector that keeps what it gets and answers with a status; a silent one never answers. */
interface Collector {
  readonly url: string
  readonly spans: SentSpan[]
  readonly requests: { readonly path: string; readonly headers: Readonly<Record<string, unknown>> }[]
  status: number
  isSilent: boolean
  /** Requests whose sender has gone before it had an answer. */
  abandoned: number
  stop(): void
}

async function startCollector(): Promise<Collector> {
  const stop = () => server.close()
  const state: Collector = { url: '', spans: [], requests: [], status: 200, isSilent: false, abandoned: 0, stop }
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = []
    response.on('close', () => {
      if (!response.writableFinished) state.abandoned += 1
    })
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      state.requests.push({ path: request.url ?? '', headers: request.headers })
      const { resourceSpans } = JSON.parse(Buffer.concat(chunks).toString())
      state.spans.push(...resourceSpans[0].scopeSpans[0].spans)
      if (!state.isSilent) response.writeHead(state.status, { 'content-type': 'application/json' }).end('{}')
    })
  })
  return Object.assign(state, { url: `http://127.0.0.1:${await listen(server)}` })
}

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const lines: string[] = []
let collector: Collector
let bundle: RunningBundle
let vars: Readonly<Record<string, string>>

beforeAll(async () => {
  collector = await startCollector()
  vars = {
    ...gatewayVars,
    ADMIN_TOKEN: adminToken,
    GRID_TOKEN: gridToken,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-team=edge',
    OTEL_SERVICE_NAME: 'sluice-test',
  }
  bundle = await startBundle({ worker: 'index', rebuild: true, vars, onLine: (line) => lines.push(line) })
})

afterAll(async () => {
  await bundle?.stop()
  collector?.stop()
})

/** Asks for a path as part of a trace. */
async function ask(path: string, span: string, flags = '01', token?: string, url = bundle.url): Promise<number> {
  const headers = {
    traceparent: `00-${traceId}-${span}-${flags}`,
    'x-request-id': `id-${span}`,
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  }
  const response = await fetch(`${url}${path}`, { headers })
  await response.text()
  return response.status
}

const valuesOf = ({ attributes }: SentSpan) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))
const childrenOf = (span: string) => collector.spans.filter(({ parentSpanId }) => parentSpanId === span)

async function serverSpan(span: string): Promise<SentSpan> {
  await expect.poll(() => childrenOf(span).length, { timeout: 120_000 }).toBe(1)
  const [found] = childrenOf(span)
  if (found === undefined) throw new Error('the span has gone')
  return found
}

describe('a traced request', () => {
  it.each([
    ['/api/v1/simulation', 'a000000000000001', gridToken, 'grid', '/api/v1/simulation', '200'],
    ['/simulations/none/api/v1/simulation', 'a000000000000002', gridToken, 'grid', undefined, '404'],
    ['/streamnet/v1/list_streams', 'a000000000000003', fullToken, 'streamnet', '/streamnet/v1/list_streams', '200'],
    ['/config/revisions/7', 'a000000000000004', adminToken, 'ratelimit', '/config/revisions/:name', '404'],
    ['/stats', 'a000000000000005', 'wrong', 'ratelimit', 'other', '401'],
  ])(
    '%s is a span below its caller, with surface, route, status and request id',
    async (path, span, token, surface, route, code) => {
      expect(await ask(path, span, '01', token)).toBe(Number(code))
      const found = await serverSpan(span)
      expect(found).toMatchObject({ traceId, kind: 2, name: route === undefined ? 'GET' : `GET ${route}` })
      expect(found.spanId).toMatch(/^[0-9a-f]{16}$/)
      expect(BigInt(found.endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(found.startTimeUnixNano))
      expect(valuesOf(found)).toMatchObject({
        'sluice.surface': surface,
        'sluice.request_id': `id-${span}`,
        'http.request.method': 'GET',
        'http.response.status_code': code,
        ...(route !== undefined && { 'http.route': route }),
      })
    },
  )

  it('has a child for each call to an object', async () => {
    await ask('/api/v1/simulation', 'b000000000000001', '01', gridToken)
    const parent = await serverSpan('b000000000000001')
    await expect.poll(() => childrenOf(parent.spanId).length, { timeout: 120_000 }).toBeGreaterThan(0)
    for (const child of childrenOf(parent.spanId)) {
      expect(child).toMatchObject({ traceId, kind: 3, name: expect.stringMatching(/^SIMULATION\.\w+$/) })
    }
  })

  it('goes to /v1/traces with the headers of the settings, and never holds a token', async () => {
    expect(new Set(collector.requests.map(({ path }) => path))).toEqual(new Set(['/v1/traces']))
    expect(collector.requests[0]?.headers).toMatchObject({ 'x-team': 'edge', 'content-type': 'application/json' })
    const all = JSON.stringify(collector.spans)
    for (const token of [gridToken, fullToken, adminToken]) expect(all).not.toContain(token)
  })

  it('is not recorded when its caller does not record', async () => {
    expect(await ask('/api/v1/simulation', 'c000000000000001', '00', gridToken)).toBe(200)
    await ask('/api/v1/simulation', 'c000000000000002', '01', gridToken)
    await serverSpan('c000000000000002')
    expect(childrenOf('c000000000000001')).toEqual([])
  })

  it('begins a trace where there is no caller', async () => {
    const id = 'first-of-its-trace'
    const found = () => collector.spans.find((span) => valuesOf(span)['sluice.request_id'] === id)
    await fetch(`${bundle.url}/api/v1/status`, { headers: { 'x-request-id': id, traceparent: 'nonsense' } })
    await expect.poll(() => found()?.traceId, { timeout: 120_000 }).toMatch(/^[0-9a-f]{32}$/)
    expect(found()).not.toHaveProperty('parentSpanId')
  })
})

describe('a collector that fails', () => {
  it('loses spans, logs it once, and answers every request', async () => {
    await bundle.restart({ ...vars, OTEL_EXPORTER_OTLP_TIMEOUT: '4000' })
    collector.status = 503
    const before = collector.requests.length
    expect(await ask('/api/v1/simulation', 'd000000000000001', '01', gridToken)).toBe(200)
    await expect.poll(() => collector.requests.length, { timeout: 120_000 }).toBeGreaterThan(before)
    const complaints = () => lines.filter((line) => line.includes('Cannot export spans'))
    await expect.poll(complaints, { timeout: 120_000 }).toHaveLength(1)
    expect(complaints()[0]).toContain('the collector answered 503')
    collector.isSilent = true
    expect(await ask('/api/v1/simulation', 'd000000000000002', '01', gridToken)).toBe(200)
    await expect.poll(() => collector.abandoned, { timeout: 120_000 }).toBeGreaterThan(0)
    Object.assign(collector, { isSilent: false, status: 200 })
    await ask('/api/v1/simulation', 'd000000000000003', '01', gridToken)
    await serverSpan('d000000000000003')
    expect(complaints()).toHaveLength(1)
  })

  it('that is not there costs nothing but spans', async () => {
    await bundle.restart({ ...vars, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' })
    for (let count = 0; count < 5; count++) {
      expect(await ask('/api/v1/simulation', `e00000000000000${count}`, '01', gridToken)).toBe(200)
    }
  })
})

describe('without an endpoint', () => {
  it('sends no span', async () => {
    const { OTEL_EXPORTER_OTLP_ENDPOINT: _, ...others } = vars
    await bundle.restart(others)
    const traced = await startBundle({ worker: 'index', vars })
    onTestFinished(() => traced.stop())
    expect(await ask('/api/v1/simulation', 'f000000000000001', '01', gridToken)).toBe(200)
    // Spans travel half a second after their request: those of an earlier one would be there with these.
    await ask('/api/v1/simulation', 'f000000000000002', '01', gridToken, traced.url)
    await serverSpan('f000000000000002')
    expect(childrenOf('f000000000000001')).toEqual([])
  })
})
