/** State of the services for their pictures: traffic, a stealthy attack, the seed network. */

import { setTimeout as sleep } from 'node:timers/promises'
import type { Service } from '#soak/service.ts'
import { gridClient } from '../grid-service.ts'

/** Names in the addresses of views. */
export interface Stage {
  /** The id of an attacked message. */
  readonly incident: string
  /** `<address>/<stream id>` of a stream that is composed of others. */
  readonly stream: string
  /** Ends the traffic. */
  leave(): Promise<void>
}

/** Brings the services to what the pictures show. */
export async function setStage(service: Service): Promise<Stage> {
  let isOver = false
  const traffic = sendTraffic(service.url, () => isOver)
  const { GRID_TOKEN, STREAMNET_TOKEN } = service.tokens()
  const grid = gridClient(service.url, 'default', GRID_TOKEN)
  await grid.enable('FDI_STEALTH', { bus: 9 })
  return {
    incident: await firstIncident(grid),
    stream: await composedStream(service.url, STREAMNET_TOKEN),
    async leave() {
      isOver = true
      await traffic
    },
  }
}

const names = ['mia', 'ben', 'mia', 'ada', 'mia', 'noor', 'mia', 'eli', 'mia']

/** Log-ins of five names, two of which try too often, and requests of a few addresses, four times a second. */
async function sendTraffic(url: string, isOver: () => boolean): Promise<void> {
  for (let at = 0; !isOver(); at++) {
    await decide(url, 'login', names[at % names.length] ?? '')
    await decide(url, 'remote_address', `203.0.113.${at % 4}`)
    await decide(url, 'path', at % 3 === 0 ? '/search/shoes' : '/cart')
    await sleep(250)
  }
}

async function decide(url: string, key: string, value: string): Promise<void> {
  const body = JSON.stringify({ domain: 'shop', descriptors: [{ entries: [{ key, value }] }] })
  await (await fetch(`${url}/json`, { method: 'POST', body })).arrayBuffer()
}

async function firstIncident(grid: ReturnType<typeof gridClient>): Promise<string> {
  for (;;) {
    const attacked = (await grid.incidents()).find(({ status }) => status === 'attacked')
    if (attacked !== undefined) return String(attacked.id)
    await sleep(200)
  }
}

async function composedStream(url: string, token: string): Promise<string> {
  const headers = { authorization: `Bearer ${token}` }
  const listed = await fetch(`${url}/streamnet/v1/list_streams?limit=100`, { headers })
  // The shape is that of the gateway's answer, which test/workers/streamnet/operations.test.ts holds.
  const { result } = (await listed.json()) as {
    result: readonly { data_provider: string; stream_id: string; stream_type: string }[]
  }
  const composed = result.find(({ stream_type }) => stream_type === 'composed')
  if (composed === undefined) throw new Error('Cannot take pictures: the seed network has no composed stream')
  return `${composed.data_provider}/${composed.stream_id}`
}
