/** The service dies under load with leases in isolates and ceilings on disk: never above the limit of an hour, and no more below it than was out. */

import { eventually } from '#test/support/wait.ts'
import { enterHour, hitHour, hourRules, mostLost, rateBefore, untilRefused } from './one-hour.ts'
import { createTally, gatherViolations, type Outcome, type Soak, scaled, type Tally } from './outcome.ts'
import { prepareService, type Service } from './service.ts'

const limit = 40_000
const callers = 8
/** Milliseconds between an answer and the next hit of its caller: what a kill may lose is a second's demand. */
const pauseMs = 20
/** Milliseconds that an hour must still last when the soak begins. */
const roomMs = 1_200_000
/** Refusals after which the limit counts as used up. */
const enough = 400
/** Kills of one counter at most: more of them may lose so much that nothing below the limit would be too little. */
const killsOfCounter = 17

export const run: Soak = async (scale) => killWithLeases(scaled(50, scale))

/** Kills a service `kills` times under load, and uses up the limit of one counter after the other. */
async function killWithLeases(kills: number): Promise<Outcome> {
  const isSameHour = await enterHour(roomMs)
  const service = await prepareService({ rules: hourRules(limit), vars: { LEASES: 'on' } })
  const [answers, violations] = [createTally(), gatherViolations()]
  const facts: string[] = []
  await service.start()
  for (let killed = 0; killed < kills; killed += killsOfCounter) {
    const round = await useUp(service, answers, Math.min(killsOfCounter, kills - killed), `k${killed}`)
    if (round.admitted > limit) violations.add(`${round.admitted} hits were admitted, the limit is ${limit}`)
    if (round.admitted < round.least)
      violations.add(`${round.admitted} hits were admitted, expected ${round.least} or more`)
    facts.push(`admitted ${round.admitted} of ${limit}, at least ${round.least} expected`)
  }
  const fromLeases = await admittedFromLeases(service)
  await service.stop()
  if (fromLeases === 0) violations.add('no hit was admitted from a lease')
  if (!isSameHour()) violations.add('the hour ended before the soak did')
  return { done: `${kills} kills`, facts: [...facts, `answers ${answers.text()}`], violations: violations.list() }
}

/** Hits that one counter admitted. */
interface Round {
  readonly admitted: number
  /** Least number that must be admitted after the losses of the kills. */
  readonly least: number
}

/** Kills the service under load on a counter that is new, then uses its limit up. */
async function useUp(service: Service, answers: Tally, kills: number, value: string): Promise<Round> {
  const before = answers.count(200)
  let isOver = false
  let mayLose = 0
  const load = Array.from({ length: callers }, () => hitHour(service.ports.http, () => isOver, answers, pauseMs, value))
  for (let kill = 0; kill < kills; kill++) {
    const perSecond = await rateBefore(() => answers.count(200), 1_000 + (kill % 5) * 300)
    mayLose += mostLost(limit, perSecond, callers)
    if (kill % 2 === 0) {
      await service.kill()
      await service.start()
    } else service.killRuntime()
  }
  // The last kill may have ended the runtime only.
  const decided = () => answers.count(200) + answers.count(429)
  const enoughDecided = decided() + callers * 2
  await eventually(
    'further decisions',
    () => decided() >= enoughDecided,
    () => answers.text(),
  )
  await untilRefused(answers, enough)
  isOver = true
  await Promise.all(load)
  return { admitted: answers.count(200) - before, least: Math.max(0, limit - mayLose) }
}

async function admittedFromLeases(service: Service): Promise<number> {
  const headers = { authorization: `Bearer ${service.tokens().ADMIN_TOKEN}` }
  const text = await (await fetch(`${service.url}/ratelimit/stats`, { headers })).text()
  return Number(/^ratelimit\.leases\.admitted: (\d+)$/m.exec(text)?.[1] ?? 0)
}
