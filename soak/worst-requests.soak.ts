/**
 * Asks for the most expensive request of each public path, and for `/healthz` of the same runtime all the while: what
 * waits beside such a request waits for less than a tenth of a second of the runtime's thread.
 */

import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { gatherViolations, grouped, type Soak, scaled } from './outcome.ts'
import { prepareService, type Service } from './service.ts'
import { Wire } from './wire.ts'
import { prepare, rules, worstRequests } from './worst-requests.ts'

/**
 * Milliseconds of processor time of the runtime's thread that `/healthz` may wait, in the middle round of a path: 100,
 * and 30 for a machine whose other programs share its caches. The same request takes up to a quarter more there.
 */
const mostMs = 130

export const run: Soak = async (scale) => {
  const violations = gatherViolations()
  const service = await prepareService({ rules: { 'config.worst.yaml': rules } })
  await service.start()
  await prepare(service)
  const facts: string[] = []
  let asked = 0
  for (const { path, ask } of worstRequests) {
    const rounds: Waited[] = []
    let answer = ''
    for (let round = 0; round < scaled(5, scale); round++) {
      const watch = watchHealth(service)
      answer = await ask(service)
      rounds.push(await watch.end())
      asked += 1
    }
    const { waitMs, threadMs } = middle(rounds)
    facts.push(`${path} ${Math.round(threadMs)} ms (${Math.round(waitMs)} ms by the clock)`)
    if (threadMs > mostMs)
      violations.add(`${path}: /healthz waited ${Math.round(threadMs)} ms of the thread: ${answer}`)
    if (/^(0|-1) /.test(answer)) violations.add(`${path}: no answer`)
  }
  await service.stop()
  return { done: `${grouped(asked)} requests of ${worstRequests.length} paths`, facts, violations: violations.list() }
}

/** Longest wait of `/healthz`, in milliseconds of the clock and of the runtime's thread. */
interface Waited {
  readonly waitMs: number
  readonly threadMs: number
}

/** The middle round by processor time, the lower of two: the first one of a path runs code that the runtime has not compiled yet. */
function middle(rounds: readonly Waited[]): Waited {
  const sorted = [...rounds].sort((one, other) => one.threadMs - other.threadMs)
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? { waitMs: 0, threadMs: 0 }
}

/** Asks for `/healthz` again and again until it is ended. */
function watchHealth(service: Service): { end(): Promise<Waited> } {
  let isEnded = false
  const watched = (async () => {
    const wire = new Wire(service.ports.http, 60_000)
    let [waitMs, most] = [0, 0]
    while (!isEnded) {
      const [atMs, thread] = [performance.now(), threadMs(service)]
      await wire.ask({ method: 'GET', target: '/healthz' })
      waitMs = Math.max(waitMs, performance.now() - atMs)
      most = Math.max(most, threadMs(service) - thread)
      await sleep(2)
    }
    wire.close()
    return { waitMs, threadMs: most }
  })()
  return {
    end() {
      isEnded = true
      return watched
    },
  }
}

/** Milliseconds that the runtime's main thread has run; 0 where the system does not say. */
function threadMs(service: Service): number {
  const pid = service.runtime()
  if (pid === null) return 0
  const [nanoseconds = '0'] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')
  return Number(nanoseconds) / 1e6
}
