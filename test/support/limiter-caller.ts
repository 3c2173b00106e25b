/** A Worker that calls the limiter of another Worker over a service binding, in one runtime, driven over HTTP. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startRuntimeProcess } from '#bin/runtime/process.ts'
import { planWorker } from '#bin/runtime/worker-plan.ts'
import type { LimiterMethod } from '#limiter/types.ts'
import { compatibilityDate } from './workerd.ts'

/** The caller: the body is `[method, ...arguments]`, the answer the result or what was thrown; `fill` makes a long key. */
const script = `export default {
  async fetch(request, env) {
    const { method, args, binding, fill } = await request.json()
    if (fill !== undefined) args[0].key = 'x'.repeat(fill)
    try {
      return Response.json({ result: await env[binding][method](...args) })
    } catch (error) {
      return Response.json({ thrown: String(error) })
    }
  },
}
`

/** Two Workers in one runtime. */
export interface LimiterCaller {
  /** Address of the rate limit service. */
  readonly url: string
  /** Calls a method over a binding: LIMITER, BOUND (with props), WRONG (with wrong props) or DEFAULT (no entrypoint). */
  call(method: LimiterMethod | 'other', asked: unknown, options?: { binding?: string; fill?: number }): Promise<unknown>
  stop(): Promise<void>
}

/** Starts both, with variables of the rate limit service and the props of BOUND. */
export async function startLimiterCaller(
  vars: Readonly<Record<string, string>>,
  props: object,
  onLine: (line: string) => void = () => undefined,
): Promise<LimiterCaller> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-caller-'))
  const path = join(folder, 'caller.js')
  writeFileSync(path, script)
  const service = 'ratelimit'
  const entrypoint = 'RateLimiter'
  const caller = {
    name: 'caller',
    modules: [{ name: 'worker.js', path }],
    compatibilityDate,
    compatibilityFlags: [],
    objects: [],
    bindings: [
      { name: 'LIMITER', service, entrypoint },
      { name: 'BOUND', service, entrypoint, props },
      { name: 'WRONG', service, entrypoint, props: { perod: 60 } },
      { name: 'DEFAULT', service },
    ],
  }
  const runtime = await startRuntimeProcess(
    {
      workers: [planWorker({ worker: service, vars }), caller],
      sockets: [
        { name: 'service', address: '127.0.0.1:0', service },
        { name: 'caller', address: '127.0.0.1:0', service: 'caller' },
      ],
      state: join(folder, 'state'),
    },
    { onLine },
  )
  return {
    url: `http://127.0.0.1:${runtime.port('service')}`,
    async call(method, asked, { binding = 'LIMITER', fill } = {}) {
      const body = JSON.stringify({ method, args: [asked], binding, fill })
      const response = await fetch(`http://127.0.0.1:${runtime.port('caller')}`, { method: 'POST', body })
      const { result, thrown } = (await response.json()) as { readonly result?: unknown; readonly thrown?: string }
      return thrown ?? result
    },
    async stop() {
      await runtime.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
