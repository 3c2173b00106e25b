/**
 * The service dies under load again and again: no window admits more than its limit, and no admitted hit is forgotten.
 *
 * One kill in two ends the command and its runtime; the other ends the runtime only, which the command brings back.
 */

import { setTimeout as sleep } from 'node:timers/promises'
import {
  createTally,
  gatherViolations,
  type Outcome,
  type Soak,
  scaled,
  type Tally,
  type Violations,
} from './outcome.ts'
import { prepareService, type Service } from './service.ts'
import { type Answer, Wire } from './wire.ts'

const limits = { minute: { limit: 200, seconds: 60 }, hour: { limit: 1_500, seconds: 3_600 } } as const
type Unit = keyof typeof limits

const rules = `domain: kill\ndescriptors:\n${Object.entries(limits)
  .map(([unit, { limit }]) => `  - {key: ${unit}, rate_limit: {unit: ${unit}, requests_per_unit: ${limit}}}\n`)
  .join('')}`

/** Admitted hits by window; a window is identified by the end that the answer names, so the service's clock decides. */
type Windows = Map<string, number>

export const run: Soak = async (scale) => killUnderLoad(scaled(50, scale), {})

/** Callers that ask at the same time. */
export const callerCount = 16

/**
 * Kills a service `kills` times while callers ask it.
 *
 * @param lostByKill - hits that a kill may lose: those that were admitted and are counted after the answer.
 */
export async function killUnderLoad(
  kills: number,
  vars: Readonly<Record<string, string>>,
  lostByKill = 0,
): Promise<Outcome> {
  const service = await prepareService({ rules: { 'kill.yaml': rules }, vars })
  const [windows, answers, violations] = [new Map<string, number>(), createTally(), gatherViolations()]
  await service.start()
  let isOver = false
  let mayBeLost = 0
  const books = { windows, answers, violations, mayBeLost: () => mayBeLost }
  const callers = Array.from({ length: callerCount }, (_, number) =>
    call(service, number % 2 === 0 ? 'minute' : 'hour', () => isOver, books),
  )
  for (let kill = 0; kill < kills; kill++) {
    await sleep(400 + (kill % 7) * 100)
    mayBeLost += lostByKill
    if (kill % 2 === 0) {
      await service.kill()
      await service.start()
    } else {
      service.killRuntime()
      await untilDeciding(service, violations)
    }
  }
  await sleep(500)
  isOver = true
  await Promise.all(callers)
  await service.stop()
  for (const [window, count] of windows) {
    const { limit } = limits[window.split(' ')[0] as Unit] // a window's name begins with its unit
    if (count > limit + mayBeLost) violations.add(`window "${window}" admitted ${count} of ${limit}`)
  }
  return {
    done: `${kills} kills`,
    facts: [`answers ${answers.text()}`, `${windows.size} windows`],
    violations: violations.list(),
  }
}

interface Books {
  readonly windows: Windows
  readonly answers: Tally
  readonly violations: Violations
  /** Hits that the kills so far may have lost. */
  readonly mayBeLost: () => number
}

async function call(service: Service, unit: Unit, isOver: () => boolean, books: Books): Promise<void> {
  const wire = new Wire(service.ports.http, 5_000)
  const body = JSON.stringify({ domain: 'kill', descriptors: [{ entries: [{ key: unit, value: 'one' }] }] })
  while (!isOver()) {
    const known: Asked = { at: Date.now(), admitted: new Map(books.windows) }
    const { status, body: octets } = await wire.ask({ method: 'POST', target: '/json', body })
    books.answers.add(status)
    if (status === 200) book(unit, octets.toString(), known, books)
    else if (!isRefusalOrLoss(status)) {
      books.violations.add(`a decision was answered ${status} ${octets.subarray(0, 200)}`)
    }
    await sleep(status === 200 || status === 429 ? 20 : 50)
  }
  wire.close()
}

/** 502 is what the front answers to a request that its runtime died with: it may have been counted, or not. */
function isRefusalOrLoss(status: Answer['status']): boolean {
  return typeof status === 'string' || [429, 500, 502, 503].includes(status)
}

/** Facts known when a question was sent. */
interface Asked {
  readonly at: number
  readonly admitted: ReadonlyMap<string, number>
}

function book(unit: Unit, text: string, asked: Asked, { windows, violations, mayBeLost }: Books): void {
  const reset = Number(/"durationUntilReset":"(\d+)s"/.exec(text)?.[1] ?? Number.NaN)
  if (Number.isNaN(reset)) {
    violations.add(`an admitted hit was not counted: ${text}`)
    return
  }
  const { limit, seconds } = limits[unit]
  // The reset is in whole seconds and counts from the moment of the decision, which is at or after the question.
  const window = `${unit} ${Math.round((asked.at / 1000 + reset) / seconds)}`
  windows.set(window, (windows.get(window) ?? 0) + 1)
  const used = limit - Number(/"limitRemaining":(\d+)/.exec(text)?.[1] ?? 0)
  const least = (asked.admitted.get(window) ?? 0) + 1
  if (used < least - mayBeLost()) {
    violations.add(`window "${window}" counted ${used} hits after ${least} were admitted`)
  }
}

async function untilDeciding(service: Service, violations: Violations): Promise<void> {
  const wire = new Wire(service.ports.http, 5_000)
  const body = '{"domain":"kill","descriptors":[{"entries":[{"key":"none","value":"v"}]}]}'
  const deadline = Date.now() + 60_000
  while ((await wire.ask({ method: 'POST', target: '/json', body })).status !== 200) {
    if (Date.now() > deadline) return violations.add('the command did not bring its runtime back within a minute')
    await sleep(50)
  }
  wire.close()
}
