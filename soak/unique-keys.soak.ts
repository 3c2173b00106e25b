/**
 * A key of its own for every request, across the end of the window: no caller can make the runtime die.
 *
 * Two hundred thousand keys with limits of a minute, then the end of that minute, in which every counter expires.
 */

import { setTimeout as sleep } from 'node:timers/promises'
import { createTally, gatherViolations, grouped, type Soak, scaled } from './outcome.ts'
import { prepareService } from './service.ts'
import { Wire } from './wire.ts'

const rules =
  'domain: keys\ndescriptors:\n  - {key: user, rate_limit: {unit: minute, requests_per_unit: 5}}\n'

function question(value: string) {
  const body = JSON.stringify({ domain: 'keys', descriptors: [{ entries: [{ key: 'user', value }] }] })
  return { method: 'POST', target: '/json', body }
}

export const run: Soak = async (scale) => {
  const keys = scaled(200_000, scale)
  const service = await prepareService({ rules: { 'keys.yaml': rules } })
  const violations = gatherViolations()
  const statuses = createTally()
  await service.start()
  const before = service.memoryMiB()
  const pid = service.runtime()
  let peak = before
  let next = 0
  const began = Date.now()
  const ask = async () => {
    const wire = new Wire(service.ports.http)
    while (next < keys) {
      const number = next++
      const { status } = await wire.ask(question(`user-${number}`))
      statuses.add(status)
      if (status !== 200) violations.add(`key ${number} was answered ${status}`)
      if (number % 1000 === 0) peak = Math.max(peak, service.memoryMiB())
    }
    wire.close()
  }
  await Promise.all(Array.from({ length: 16 }, ask))
  const seconds = (Date.now() - began) / 1000
  // The last key's window ends within a minute; what follows it is the work of forgetting.
  const wire = new Wire(service.ports.http)
  let slowest = 0
  for (const end = Date.now() + 90_000; Date.now() < end; await sleep(250)) {
    const asked = performance.now()
    const { status } = await wire.ask(question('late'))
    slowest = Math.max(slowest, performance.now() - asked)
    if (status !== 200 && status !== 429) violations.add(`at the end of the window an answer was ${status}`)
    peak = Math.max(peak, service.memoryMiB())
  }
  wire.close()
  if (service.runtime() !== pid) violations.add(`the runtime ended: ${service.output().slice(-500)}`)
  const after = service.memoryMiB()
  await service.stop()
  return {
    done: `${grouped(keys)} keys in ${seconds.toFixed(0)} s`,
    facts: [
      `answers ${statuses.text()}`,
      `memory of the runtime ${before} MiB before, ${peak} at most, ${after} after the window`,
      `slowest answer while the window ended ${slowest.toFixed(0)} ms`,
    ],
    violations: violations.list(),
  }
}
