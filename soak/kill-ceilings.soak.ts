/** The service dies under load with ceilings on disk: never above the limit of an hour, and little below it. */

import { setTimeout as sleep } from 'node:timers/promises'
import { createTally, gatherViolations, type Outcome, type Soak, scaled, type Tally } from './outcome.ts'
import { prepareService } from './service.ts'
import { Wire } from './wire.ts'

const limit = 30_000
const callers = 16
const hourMs = 3_600_000
/** Milliseconds that an hour must still last when the soak begins. */
const roomMs = 600_000
/** A ceiling may be 1 % of the limit ahead; each call that was cut off may have counted, and its repetition again. */
const lostPerKill = limit / 100 + 2 * callers
/** Refusals after which the limit counts as used up. */
const enough = 200

const rules = `domain: kill\ndescriptors:\n  - {key: hour, rate_limit: {unit: hour, requests_per_unit: ${limit}}}\n`
const body = '{"domain":"kill","descriptors":[{"entries":[{"key":"hour","value":"one"}]}]}'

export const run: Soak = async (scale) => killWithCeilings(scaled(20, scale))

/** Kills a service `kills` times under load, then uses the limit up and compares what was admitted with it. */
async function killWithCeilings(kills: number): Promise<Outcome> {
  const left = hourMs - (Date.now() % hourMs)
  if (left < roomMs) await sleep(left)
  const hour = Math.floor(Date.now() / hourMs)
  const service = await prepareService({ rules: { 'kill.yaml': rules }, vars: {} })
  const [answers, violations] = [createTally(), gatherViolations()]
  await service.start()
  let isOver = false
  const load = Array.from({ length: callers }, () => call(service.ports.http, () => isOver, answers))
  for (let kill = 0; kill < kills; kill++) {
    await sleep(300 + (kill % 5) * 100)
    await service.kill()
    await service.start()
  }
  const refusedAtEnd = answers.count(429)
  while (answers.count(429) < refusedAtEnd + enough) await sleep(50)
  isOver = true
  await Promise.all(load)
  await service.stop()
  const admitted = answers.count(200)
  const least = limit - kills * lostPerKill
  if (Math.floor(Date.now() / hourMs) !== hour) violations.add('the hour ended before the soak did')
  if (admitted > limit) violations.add(`${admitted} hits were admitted, the limit is ${limit}`)
  if (admitted < least) violations.add(`${admitted} hits were admitted, expected ${least} or more`)
  return {
    done: `${kills} kills`,
    facts: [`admitted ${admitted} of ${limit}`, `answers ${answers.text()}`],
    violations: violations.list(),
  }
}

async function call(port: number, isOver: () => boolean, answers: Tally): Promise<void> {
  const wire = new Wire(port, 5_000)
  while (!isOver()) {
    const { status } = await wire.ask({ method: 'POST', target: '/json', body })
    answers.add(status)
    await sleep(status === 200 || status === 429 ? 5 : 50)
  }
  wire.close()
}
