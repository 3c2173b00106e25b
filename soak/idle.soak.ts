/** Clients that keep connections and pause around the seconds after which servers like to close them: no request fails. */

import { setTimeout as sleep } from 'node:timers/promises'
import { createRandom } from '#base/random.ts'
import { createTally, gatherViolations, grouped, type Soak, scaled } from './outcome.ts'
import { prepareService } from './service.ts'
import { Wire } from './wire.ts'

export const run: Soak = async (scale) => {
  const connections = 200
  const requests = scaled(4_000, scale)
  const random = createRandom(1, 'idle')
  const [violations, answers] = [gatherViolations(), createTally()]
  const service = await prepareService()
  await service.start()
  const body = '{"domain":"shop","descriptors":[{"entries":[{"key":"none","value":"v"}]}]}'
  const turns = Math.max(1, Math.round(requests / connections))
  let reused = 0
  await Promise.all(
    Array.from({ length: connections }, async (_, number) => {
      const wire = new Wire(service.ports.http)
      for (let turn = 0; turn < turns; turn++) {
        // Most pauses end within a tenth of a second of the five after which the runtime closes a connection.
        const pause = turn % 4 === 3 ? 6_000 : 4_900 + random.integer(0, 250)
        if (turn > 0) await sleep(pause)
        if (wire.isOpen) reused += 1
        const { status, received } = await wire.ask({ method: 'POST', target: '/json', body })
        answers.add(status)
        if (status !== 200) {
          violations.add(`connection ${number} was answered ${status} after ${pause} ms (${received} octets)`)
        }
      }
      wire.close()
    }),
  )
  await service.stop()
  return {
    done: `${grouped(turns * connections)} requests with pauses of about five seconds`,
    facts: [`answers ${answers.text()}`, `${grouped(reused)} over a connection that was kept`],
    violations: violations.list(),
  }
}
