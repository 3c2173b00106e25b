/**
 * The combined Worker with a meter at every object: calls, the time in which it is awake, rows.
 *
 * `/meter` reads the meters by class and begins anew. `/meter?advance=MS` stops the clock of the Worker and its objects
 * and moves it: an hour of a quiet service takes seconds, and what the platform charges in it is counted. The time of
 * requests is real in any case.
 */

import type { DurableObject } from 'cloudflare:workers'
import type { Env } from '#workers/env.ts'
import * as whole from '#workers/index.ts'
import { type Awake, meterHolds, noteObject, timed } from './awake.ts'
import { meterOf, meterStorage, takeMeters } from './meter.ts'
import { advance, stopClock, useStoppedClock, waitingAlarms } from './stopped-clock.ts'

type ObjectClass = new (ctx: DurableObjectState, env: Env) => DurableObject

/** The class with meters: each public method is a request of its object. */
function metered<Class>(base: Class, binding: keyof Env): Class {
  // Every class of the front door is made of a state and an environment.
  const Base = base as ObjectClass
  const objects = new WeakMap<object, Awake>()
  const objectOf = (instance: object) => objects.get(instance) ?? noteObject('', binding, meterOf(binding))
  class Metered extends Base {
    constructor(ctx: DurableObjectState, env: Env) {
      const object = noteObject(ctx.id.toString(), binding, meterOf(binding))
      useStoppedClock(ctx.storage, object)
      meterStorage(ctx.storage, object.meter)
      super(ctx, env)
      objects.set(this, object)
    }

    /** Runs the alarm at a moment of the stopped clock. */
    runAlarm(scheduledTime: number): Promise<void> | void {
      return this.alarm?.({ scheduledTime, isRetry: false, retryCount: 0 })
    }

    /** Leaves memory. */
    leave(): void {
      this.ctx.abort('idle')
    }
  }
  for (const name of methodsOf(Base)) {
    const method: unknown = Reflect.get(Base.prototype, name)
    if (typeof method !== 'function') continue
    Object.defineProperty(Metered.prototype, name, {
      value(this: object, ...given: readonly unknown[]) {
        return timed(objectOf(this), () => Reflect.apply(method, this, given))
      },
    })
  }
  return Metered as Class
}

function methodsOf(Base: ObjectClass): ReadonlySet<string> {
  // A class may override what its base has.
  const names = new Set<string>()
  for (let owner = Base.prototype; owner?.constructor !== undefined && owner !== Object.prototype; ) {
    const own = Object.getOwnPropertyDescriptors(owner)
    for (const name of Object.keys(own)) {
      if (name !== 'constructor' && typeof own[name]?.value === 'function') names.add(name)
    }
    owner = Object.getPrototypeOf(owner)
  }
  return names
}

/** Calls of the methods that `metered` adds. */
function callsOf(env: Env) {
  const stubOf = ({ binding, id }: Awake) => {
    // The environment has a namespace under each binding of `metered`.
    const namespace = env[binding as 'COUNTER'] as unknown as DurableObjectNamespace<never>
    return namespace.get(namespace.idFromString(id)) as unknown as {
      runAlarm(atMs: number): Promise<void>
      leave(): Promise<void>
    }
  }
  return {
    alarm: (object: Awake, atMs: number) => stubOf(object).runAlarm(atMs),
    evict: (object: Awake) =>
      stubOf(object)
        .leave()
        .catch(() => {}),
  }
}

async function readMeter(url: URL, env: Env): Promise<Response> {
  const ms = url.searchParams.get('advance')
  if (ms !== null) {
    stopClock()
    await advance(Number(ms), callsOf(env))
    return Response.json(waitingAlarms())
  }
  meterHolds()
  return Response.json(takeMeters())
}

export const CounterObject = metered(whole.CounterObject, 'COUNTER')
export const RuleBookObject = metered(whole.RuleBookObject, 'RULE_BOOK')
export const StatsObject = metered(whole.StatsObject, 'STATS')
export const RedisObject = metered(whole.RedisObject, 'REDIS')
export const RegionObject = metered(whole.RegionObject, 'LEASE_REGION')
export const MemcacheObject = metered(whole.MemcacheObject, 'MEMCACHE')
export const QuotaObject = metered(whole.QuotaObject, 'QUOTA')
export const FrontObject = metered(whole.FrontObject, 'FRONT')
export const NodeObject = metered(whole.NodeObject, 'NODE')
export const SignerObject = metered(whole.SignerObject, 'SIGNER')
export const StreamWatchObject = metered(whole.StreamWatchObject, 'STREAM_WATCH')
export const GatewayStatsObject = metered(whole.GatewayStatsObject, 'GATEWAY_STATS')
export const SimulationObject = metered(whole.SimulationObject, 'SIMULATION')
export const RelayObject = metered(whole.RelayObject, 'RELAY')
export const SimulationDirectoryObject = metered(whole.SimulationDirectoryObject, 'SIMULATION_DIRECTORY')

export default {
  fetch(request: Request, env: Env, ctx: ExecutionContext): Response | Promise<Response> {
    const url = new URL(request.url)
    if (url.pathname === '/meter') return readMeter(url, env)
    return whole.default.fetch(request, env, ctx)
  },
} satisfies ExportedHandler<Env>
