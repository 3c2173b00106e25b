/** Stock Envoys that limit by quota assignments: a steady load on one, and the front that their streams go to. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type GrpcFront, startGrpcFront } from '#bin/grpc-front/front.ts'
import { projectRoot } from '#bin/project.ts'
import type { RunningEnvoy } from './envoy.ts'
import { adminToken, type RunningRatelimit } from './ratelimit-bundle.ts'

/** The rules of the example, and their limit of a minute. */
export const quotaRules = {
  'gateway.yaml': readFileSync(join(projectRoot, 'examples/envoy-quota/config/gateway.yaml'), 'utf8'),
}
export const quotaLimit = 1_200
/** Variables of a service that takes streams of anyone. */
export const quotaVars = { ADMIN_TOKEN: adminToken, QUOTA_STREAMS: 'open' }

const minuteMs = 60_000

/** Counts the minutes of Unix time. */
export const minuteNow = (): number => Math.floor(Date.now() / minuteMs)

/** Waits until the present minute lasts that long; an assignment of the last one is of no use in the next. */
export async function enterMinute(roomMs: number): Promise<void> {
  const left = minuteMs - (Date.now() % minuteMs)
  if (left < roomMs) await sleep(left)
}

/** Starts a front that takes streams to the runtime, as `npm start` has one. @param port - chosen by the system when absent. */
export function startQuotaFront({ url, runtimeUrl }: RunningRatelimit, port = 0): Promise<GrpcFront> {
  return startGrpcFront({ upstream: url, quota: { url: runtimeUrl }, host: '127.0.0.1', port })
}

/** Requests of a load. */
export interface QuotaLoad {
  asked(): number
  passed(): number
  /** Those that passed and were sent and answered in a minute; one that its end divides belongs to neither. */
  passedIn(minute: number): number
  stop(): Promise<void>
}

/** Asks an Envoy at a steady pace; what it misses of the pace is not made up. */
export function pressEnvoy({ url }: RunningEnvoy, everyMs: number): QuotaLoad {
  const byMinute = new Map<number, number>()
  let [isOver, asked, passed] = [false, 0, 0]
  const underWay = new Set<Promise<void>>()
  const ask = async () => {
    const sent = minuteNow()
    asked += 1
    const status = await fetch(url).then(
      async (response) => {
        await response.arrayBuffer()
        return response.status
      },
      () => 0,
    )
    if (status !== 200) return
    passed += 1
    if (sent === minuteNow()) byMinute.set(sent, (byMinute.get(sent) ?? 0) + 1)
  }
  const run = async () => {
    while (!isOver) {
      const one = ask().finally(() => underWay.delete(one))
      underWay.add(one)
      await sleep(everyMs)
    }
    await Promise.all(underWay)
  }
  const done = run()
  return {
    asked: () => asked,
    passed: () => passed,
    passedIn: (minute) => byMinute.get(minute) ?? 0,
    async stop() {
      isOver = true
      await done
    },
  }
}
