/** The service dies under load with ceilings on disk: never above the limit of an hour, and little below it. */

import { setTimeout as sleep } from 'node:timers/promises'
import { lossBudget } from '#ratelimit/durability/ceiling.ts'
import { enterHour, hitHour, hourRules, untilRefused } from './one-hour.ts'
import { createTally, gatherViolations, type Outcome, type Soak, scaled } from './outcome.ts'
import { prepareService } from './service.ts'

const limit = 30_000
const callers = 16
/** Milliseconds between an answer and the next hit of its caller. */
const pauseMs = 5
/** Milliseconds that an hour must still last when the soak begins. */
const roomMs = 600_000
/** Each call that was cut off may have counted, and its repetition again. */
const lostPerKill = 2 * callers
/** Refusals after which the limit counts as used up. */
const enough = 200

export const run: Soak = async (scale) => killWithCeilings(scaled(50, scale))

/** Kills a service `kills` times under load, then uses the limit up and compares what was admitted with it. */
async function killWithCeilings(kills: number): Promise<Outcome> {
  const isSameHour = await enterHour(roomMs)
  const service = await prepareService({ rules: hourRules(limit), vars: {} })
  const [answers, violations] = [createTally(), gatherViolations()]
  await service.start()
  let isOver = false
  const load = Array.from({ length: callers }, () => hitHour(service.ports.http, () => isOver, answers, pauseMs))
  for (let kill = 0; kill < kills; kill++) {
    await sleep(300 + (kill % 5) * 100)
    await service.kill()
    await service.start()
  }
  await untilRefused(answers, enough)
  isOver = true
  await Promise.all(load)
  await service.stop()
  const admitted = answers.count(200)
  // Ceilings cost their budget once, however many kills there are.
  const least = limit - lossBudget(limit) - kills * lostPerKill
  if (!isSameHour()) violations.add('the hour ended before the soak did')
  if (admitted > limit) violations.add(`${admitted} hits were admitted, the limit is ${limit}`)
  if (admitted < least) violations.add(`${admitted} hits were admitted, expected ${least} or more`)
  return {
    done: `${kills} kills`,
    facts: [`admitted ${admitted} of ${limit}`, `answers ${answers.text()}`],
    violations: violations.list(),
  }
}
