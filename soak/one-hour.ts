/** Keys with a limit by the hour, and callers that use one up while the service dies under them. */

import { setTimeout as sleep } from 'node:timers/promises'
import { eventually } from '#test/support/wait.ts'
import { say, type Tally } from './outcome.ts'
import { Wire } from './wire.ts'

const hourMs = 3_600_000

const bodyOf = (value: string) => `{"domain":"kill","descriptors":[{"entries":[{"key":"hour","value":"${value}"}]}]}`

/** Rules with one limit by the hour for each value of a key, as the files of a service. */
export function hourRules(limit: number): Readonly<Record<string, string>> {
  const rule = `{key: hour, rate_limit: {unit: hour, requests_per_unit: ${limit}}}`
  return { 'kill.yaml': `domain: kill\ndescriptors:\n  - ${rule}\n` }
}

/**
 * Waits until the present hour lasts long enough for a soak.
 *
 * @param roomMs - how long it must still last, in milliseconds.
 * @returns tells whether that hour goes on.
 */
export async function enterHour(roomMs: number): Promise<() => boolean> {
  const left = hourMs - (Date.now() % hourMs)
  if (left < roomMs) {
    say(`waits ${Math.ceil(left / 60_000)} minutes for the next hour, because it needs ${roomMs / 60_000} of one`)
    await sleep(left)
  }
  const hour = Math.floor(Date.now() / hourMs)
  return () => Math.floor(Date.now() / hourMs) === hour
}

/**
 * Hits the key again and again, `pauseMs` after each answer, and tallies the status of each, until told to end.
 *
 * @param value - of the key: each has a counter to itself.
 */
export async function hitHour(
  port: number,
  isOver: () => boolean,
  answers: Tally,
  pauseMs: number,
  value = 'one',
): Promise<void> {
  const wire = new Wire(port, 5_000)
  const body = bodyOf(value)
  while (!isOver()) {
    const { status } = await wire.ask({ method: 'POST', target: '/json', body })
    answers.add(status)
    await sleep(status === 200 || status === 429 ? pauseMs : 50)
  }
  wire.close()
}

/** Waits until so many more hits are refused: then the limit is used up. */
export async function untilRefused(answers: Tally, more: number, refused: string | number = 429): Promise<void> {
  const before = answers.count(refused)
  const isEnough = () => answers.count(refused) >= before + more
  await eventually(`${more} refused hits`, isEnough, () => answers.text(), 600_000)
}

/** Waits, and measures how many hits were admitted in a second meanwhile. */
export async function rateBefore(admitted: () => number, milliseconds: number): Promise<number> {
  const [before, startedMs] = [admitted(), Date.now()]
  await sleep(milliseconds)
  return ((admitted() - before) * 1000) / (Date.now() - startedMs)
}

/**
 * The most hits that one kill can lose: 1 % of the limit in a ceiling, a lease and a half of a second's demand or 1 %
 * of the limit, and each call that was cut off, which may have counted twice. Demand is an average, so it may have been
 * twice what was measured for a second.
 */
export function mostLost(limit: number, perSecond: number, callers: number): number {
  return Math.ceil(limit / 100 + 1.5 * Math.max(limit / 100, 2 * perSecond) + 2 * callers)
}
