/**
 * Connections that are used again after a pause, through the front to the runtime, which closes its own after five
 * idle seconds. Here time has to pass.
 */

import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { bundleWorkers } from '#bin/bundle-workers.ts'
import { host } from '../support/host.ts'
import { startRatelimit } from '../support/ratelimit-bundle.ts'

const rules = {
  'config.d.yaml': 'domain: d\ndescriptors: [{key: k, rate_limit: {unit: day, requests_per_unit: 1000000}}]',
}
const body = '{"domain":"d","descriptors":[{"entries":[{"key":"k","value":"v"}]}]}'

const service = host(async () => {
  await bundleWorkers(['ratelimit'])
  return startRatelimit({ vars: { COUNTER_DURABILITY: 'relaxed' } }, rules)
})

/** Posts one decision; resolves with the local port of its connection. */
function post(agent: Agent): Promise<number> {
  return new Promise((resolve, reject) => {
    const call = request(`${service.url}/json`, { agent, method: 'POST' }, (response) => {
      const port = call.socket?.localPort ?? 0
      response.resume()
      response.once('end', () =>
        response.statusCode === 200 ? resolve(port) : reject(new Error(`status ${response.statusCode}`)),
      )
    })
    call.once('error', reject)
    call.end(body)
  })
}

it('a POST on a connection that was idle for 6.5 seconds is answered, on the same connection', async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const first = await post(agent)
  await sleep(6500)
  expect(await post(agent)).toBe(first)
  agent.destroy()
})

it('a thousand POSTs on connections that were idle for about as long as the runtime waits are all answered', async () => {
  const clients = Array.from({ length: 500 }, () => new Agent({ keepAlive: true, maxSockets: 1 }))
  const failures: string[] = []
  await Promise.all(
    clients.map(async (agent, at) => {
      await post(agent)
      // From 4.75 to 5.25 seconds, evenly spread, and for half of the clients in the other order.
      for (const place of [at, clients.length - at]) {
        await sleep(4750 + place)
        await post(agent).catch((error: Error) => failures.push(error.message))
      }
    }),
  )
  for (const agent of clients) agent.destroy()
  expect(failures).toEqual([])
})

it.each([1, 1000, 30_000, 40_000, 200_000])(
  'a request after one whose body of %i bytes the service did not read is answered',
  async (bytes) => {
    const unread = 'x'.repeat(bytes)
    const [refusals, nexts] = [new Set<number>(), new Set<number>()]
    for (let time = 0; time < 40; time++) {
      const refused = await fetch(`${service.url}/config/rollback`, { method: 'POST', body: unread })
      await refused.text()
      const next = await fetch(`${service.url}/healthcheck`)
      await next.text()
      refusals.add(refused.status)
      nexts.add(next.status)
    }
    expect(nexts).toEqual(new Set([200]))
    // The runtime may close its side before all of a long body has been sent, and with it goes the answer.
    if (bytes > 64 * 1024) refusals.delete(502)
    expect([...refusals].filter((status) => status !== 401)).toEqual([])
  },
)
