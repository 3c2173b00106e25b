/** Two stock Envoys by quota assignments under overload: what whole minutes admit, and what the kill of a front or of all costs. */

import { setTimeout as sleep } from 'node:timers/promises'
import { median } from '#bench/report.ts'
import { startEnvoy } from '#test/support/envoy.ts'
import {
  enterMinute,
  minuteNow,
  pressEnvoy,
  quotaLimit,
  quotaRules,
  quotaVars,
  startQuotaFront,
} from '#test/support/quota-load.ts'
import { startRatelimit } from '#test/support/ratelimit-bundle.ts'
import { eventually } from '#test/support/wait.ts'
import { gatherViolations, type Soak, say, scaled } from './outcome.ts'

/** Minutes in turn: one without a kill, one in which the front is killed, one in which front and service are. */
const kinds = ['no kill', 'front', 'front and service'] as const
/** Milliseconds from the start of a minute to its kill: both Envoys have reported by then. */
const killAtMs = 10_000
/** Part of the limit that all minutes of a kind lose at most, in the median, beside those without a kill. */
const mostLost = 0.05
/** Part of the limit that the best minute admits at least: other work of the machine delays messages in some. */
const leastFilled = 0.95
/** Milliseconds of a minute that has just begun. */
const wholeMinuteMs = 59_900

export const run: Soak = async (scale) => {
  const turns = scaled(5, scale)
  const service = await startRatelimit({ vars: quotaVars }, quotaRules)
  let front = await startQuotaFront(service)
  const { port } = front
  const start = (name: string) => startEnvoy('envoy-quota/closed', { 8081: port }, { name })
  const envoys = [await start('one'), await start('other')]
  const loads = envoys.map((envoy) => pressEnvoy(envoy, 15))
  const violations = gatherViolations()
  const admitted = new Map(kinds.map((kind) => [kind, [] as number[]]))

  async function kill(kind: (typeof kinds)[number]): Promise<void> {
    if (kind === 'no kill') return
    await front.stop(0)
    if (kind === 'front and service') await service.restart(quotaVars)
    front = await startQuotaFront(service, port)
  }

  /** Plays a minute, which has begun. */
  async function play(kind: (typeof kinds)[number]): Promise<void> {
    const minute = minuteNow()
    await sleep(killAtMs)
    await kill(kind)
    await eventually('the end of a minute', () => minuteNow() > minute, minuteNow)
    const sum = loads.reduce((total, load) => total + load.passedIn(minute), 0)
    say(`${kind}: ${sum} of ${quotaLimit}`)
    admitted.get(kind)?.push(sum)
    if (sum > quotaLimit) violations.add(`a minute (${kind}) admitted ${sum}, the limit is ${quotaLimit}`)
  }

  // The minute of the start begins without assignments.
  await enterMinute(wholeMinuteMs)
  for (let turn = 0; turn < turns; turn++) for (const kind of kinds) await play(kind)
  for (const stop of [...loads, ...envoys].map((one) => one.stop)) await stop()
  await front.stop(0)
  await service.stop()
  const parts = kinds.map((kind) => median(admitted.get(kind) ?? []) / quotaLimit)
  const best = Math.max(...[...admitted.values()].flat()) / quotaLimit
  if (best < leastFilled) violations.add(`no minute admitted more than ${percent(best)}, expected 95 %`)
  const [filled = 0, ...killed] = parts
  if (killed.some((part) => part < filled - mostLost)) violations.add('a kill cost more than 5 % of a minute')
  return {
    done: `${turns * 2} kills in ${turns * kinds.length} minutes`,
    facts: [
      `admitted in the median: ${kinds.map((kind, at) => `${kind} ${percent(parts[at] ?? 0)}`).join(', ')}`,
      `in the best minute ${percent(best)}`,
    ],
    violations: violations.list(),
  }
}

function percent(part: number): string {
  return `${(part * 100).toFixed(1)} %`
}
