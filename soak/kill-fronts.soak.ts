/** Two fronts that decide by themselves: a front, the runtime and all of the service die in turn, one front is stopped for a minute; never above the limit of an hour. */

import { setTimeout as sleep } from 'node:timers/promises'
import { type FrontProcess, startFrontProcess } from '#test/support/front-process.ts'
import { frontToken, oneLimit } from '#test/support/ratelimit-servers.ts'
import { eventually } from '#test/support/wait.ts'
import { enterHour, mostLost, rateBefore, untilRefused } from './one-hour.ts'
import { createTally, gatherViolations, type Outcome, type Soak, say, scaled, type Tally } from './outcome.ts'
import { prepareService, type Service } from './service.ts'

const limit = 40_000
const callersOfFront = 4
/** Milliseconds between an answer and the next hit of its caller. */
const pauseMs = 20
/** Milliseconds that an hour must still last when the soak begins. */
const roomMs = 1_500_000
/** Refusals after which the limit counts as used up. */
const enough = 400
/** Kills of one counter at most, as in `kill-leases`. */
const killsOfCounter = 17
/** Milliseconds for which a front is stopped. */
const standstillMs = 60_000

export const run: Soak = async (scale) => killFronts(scaled(50, scale), Math.max(1_000, standstillMs * scale))

/** The running service, and the fronts before it. */
interface Running {
  readonly service: Service
  readonly fronts: readonly FrontProcess[]
}

async function killFronts(kills: number, stillMs: number): Promise<Outcome> {
  const isSameHour = await enterHour(roomMs)
  const service = await prepareService({
    rules: { 'shop.yaml': oneLimit('shop', 'hour', limit) },
    vars: { LEASES: 'on', FRONT_TOKEN: frontToken },
    hasBarePort: true,
  })
  await service.start()
  const upstream = `http://127.0.0.1:${service.ports.bare}`
  const fronts = [await startFrontProcess(upstream), await startFrontProcess(upstream)]
  const [answers, violations] = [createTally(), gatherViolations()]
  const facts: string[] = []
  for (let killed = 0; killed < kills; killed += killsOfCounter) {
    const round = await useUp({ service, fronts }, answers, Math.min(killsOfCounter, kills - killed), stillMs)
    if (round.admitted > limit) violations.add(`${round.admitted} hits were admitted, the limit is ${limit}`)
    if (round.admitted < round.least)
      violations.add(`${round.admitted} hits were admitted, expected ${round.least} or more`)
    const fact = `admitted ${round.admitted} of ${limit}, at least ${round.least} expected`
    say(fact)
    facts.push(fact)
  }
  for (const front of fronts) await front.kill()
  await service.stop()
  if (!isSameHour()) violations.add('the hour ended before the soak did')
  return { done: `${kills} kills`, facts: [...facts, `answers ${answers.text()}`], violations: violations.list() }
}

/** Kills in turn under load on a counter that is new, then uses its limit up. */
async function useUp(running: Running, answers: Tally, kills: number, stillMs: number) {
  const before = answers.count('admitted')
  const value = `from ${before}`
  let [isOver, mayLose] = [false, 0]
  const press = async (front: FrontProcess) => {
    while (!isOver) {
      const answer = await front.hit(value)
      answers.add(answer)
      await sleep(answer === 'failed' ? 50 : pauseMs)
    }
  }
  const load = running.fronts.flatMap((front) => Array.from({ length: callersOfFront }, () => press(front)))
  for (let kill = 0; kill < kills; kill++) {
    const perSecond = await rateBefore(() => answers.count('admitted'), 1_000 + (kill % 5) * 300)
    mayLose += mostLost(limit, perSecond, running.fronts.length * callersOfFront)
    await killOne(running, kill)
    say(`kill ${kill + 1} of this counter's ${kills}: ${answers.text()}`)
  }
  say(`stops a front for ${stillMs / 1_000} s, then uses up the limit`)
  running.fronts[0]?.signal('SIGSTOP')
  await sleep(stillMs)
  running.fronts[0]?.signal('SIGCONT')
  const decided = () => answers.count('admitted') + answers.count('refused')
  const enoughDecided = decided() + load.length * 2
  await eventually(
    'further decisions',
    () => decided() >= enoughDecided,
    () => answers.text(),
  )
  await untilRefused(answers, enough, 'refused')
  isOver = true
  await Promise.all(load)
  return { admitted: answers.count('admitted') - before, least: Math.max(0, limit - mayLose) }
}

/** A front, the runtime with its objects, or the whole service as a machine that loses power. */
async function killOne({ service, fronts }: Running, turn: number): Promise<void> {
  const front = fronts[turn % fronts.length]
  if (turn % 3 === 0) {
    await front?.kill()
    await front?.start()
  } else if (turn % 3 === 1) service.killRuntime()
  else {
    await service.kill()
    await service.start()
  }
}
