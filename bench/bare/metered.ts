/** The combined Worker with a meter at every object: calls, time, rows. `/meter` reads it and begins anew. */

import type { DurableObject } from 'cloudflare:workers'
import type { Env } from '#workers/env.ts'
import * as whole from '#workers/index.ts'

const meter = { objectRequests: 0, objectMs: 0, rowsRead: 0, rowsWritten: 0 }

type ObjectClass = new (ctx: DurableObjectState, env: Env) => DurableObject

/** The class with its storage metered, and the calls that it makes itself. */
function metered<Class>(base: Class): Class {
  // Every class of the front door is made of a state and an environment.
  const Base = base as ObjectClass
  class Metered extends Base {
    constructor(ctx: DurableObjectState, env: Env) {
      meterStorage(ctx.storage)
      super(ctx, meterEnvironment(env))
    }

    override async alarm(info?: AlarmInvocationInfo): Promise<void> {
      await timed(this.ctx.id, () => super.alarm?.(info))
    }
  }
  return Metered as Class
}

function meterStorage(storage: DurableObjectStorage): void {
  const { sql } = storage
  const exec = sql.exec.bind(sql)
  Object.defineProperty(sql, 'exec', {
    value: (...given: Parameters<typeof exec>) => {
      const cursor = exec(...given)
      // By then it has been read; another object could not look at it.
      queueMicrotask(() => {
        meter.rowsRead += cursor.rowsRead
        meter.rowsWritten += cursor.rowsWritten
      })
      return cursor
    },
  })
  count(storage, 'put', (key) => (meter.rowsWritten += typeof key === 'string' ? 1 : Object.keys(key as object).length))
  count(storage, 'delete', () => (meter.rowsWritten += 1))
  count(storage, 'setAlarm', () => (meter.rowsWritten += 1))
  count(storage, 'get', (key) => (meter.rowsRead += Array.isArray(key) ? key.length : 1))
  count(storage.kv, 'put', () => (meter.rowsWritten += 1))
  count(storage.kv, 'delete', () => (meter.rowsWritten += 1))
  count(storage.kv, 'get', () => (meter.rowsRead += 1))
}

/** Counts before a method runs. */
function count(owner: object, name: string, counted: (first: unknown) => void): void {
  const method: unknown = Reflect.get(owner, name)
  if (typeof method !== 'function') return
  Object.defineProperty(owner, name, {
    value: (...given: readonly unknown[]) => {
      counted(given[0])
      return Reflect.apply(method, owner, given)
    },
  })
}

const environments = new WeakMap<object, Env>()

function meterEnvironment(env: Env): Env {
  const known = environments.get(env)
  if (known !== undefined) return known
  const pairs = Object.entries(env).map(([name, binding]) => [
    name,
    typeof binding === 'object' && binding !== null && 'getByName' in binding ? meterNamespace(binding) : binding,
  ])
  // The same names with bindings of the same kinds.
  const made = Object.fromEntries(pairs) as Env
  environments.set(env, made)
  return made
}

function meterNamespace(namespace: Pick<DurableObjectNamespace, 'getByName'>): object {
  return new Proxy(namespace, {
    get(target, property) {
      if (property === 'getByName') return (name: string) => meterStub(target.getByName(name))
      const value: unknown = Reflect.get(target, property)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

function meterStub(stub: Pick<DurableObjectStub, 'id'>): object {
  return new Proxy(stub, {
    get(target, property) {
      const method: unknown = Reflect.get(target, property)
      if (typeof property !== 'string' || typeof method !== 'function') return method
      return (...given: readonly unknown[]) => timed(stub.id, () => Reflect.apply(method, target, given))
    },
  })
}

/** The requests that each object answers now, and since when there is one: those at the same time share its time. */
const working = new Map<string, { requests: number; sinceMs: number }>()

/** One request to an object, and the time in which the object works for this one or for others. */
async function timed(id: DurableObjectId, call: () => unknown): Promise<unknown> {
  meter.objectRequests += 1
  const name = id.toString()
  const work = working.get(name) ?? { requests: 0, sinceMs: Date.now() }
  working.set(name, work)
  work.requests += 1
  try {
    return await call()
  } finally {
    work.requests -= 1
    if (work.requests === 0) {
      meter.objectMs += Date.now() - work.sinceMs
      working.delete(name)
    }
  }
}

function readMeter(): Response {
  const read = { ...meter }
  Object.assign(meter, { objectRequests: 0, objectMs: 0, rowsRead: 0, rowsWritten: 0 })
  return Response.json(read)
}

export const CounterObject = metered(whole.CounterObject)
export const RuleBookObject = metered(whole.RuleBookObject)
export const StatsObject = metered(whole.StatsObject)
export const RedisObject = metered(whole.RedisObject)
export const RegionObject = metered(whole.RegionObject)
export const MemcacheObject = metered(whole.MemcacheObject)
export const QuotaObject = metered(whole.QuotaObject)
export const NodeObject = metered(whole.NodeObject)
export const SignerObject = metered(whole.SignerObject)
export const StreamWatchObject = metered(whole.StreamWatchObject)
export const GatewayStatsObject = metered(whole.GatewayStatsObject)
export const SimulationObject = metered(whole.SimulationObject)
export const RelayObject = metered(whole.RelayObject)
export const SimulationDirectoryObject = metered(whole.SimulationDirectoryObject)

export default {
  fetch(request: Request, env: Env, ctx: ExecutionContext): Response | Promise<Response> {
    if (new URL(request.url).pathname === '/meter') return readMeter()
    return whole.default.fetch(request, meterEnvironment(env), ctx)
  },
} satisfies ExportedHandler<Env>
