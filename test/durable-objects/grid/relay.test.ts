/** A relay: its streams name their simulation, and a listener that comes as another leaves keeps its events. */

import { env, runInDurableObject } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { encodeStreamEvent, queueCapacity } from '#grid/records/broadcast.ts'
import type { GridEnv } from '#objects/grid/env.ts'
import type { RelayObject } from '#objects/grid/relay.ts'
import type { SimulationObject } from '#objects/grid/simulation.ts'

const { SIMULATION, RELAY } = env as unknown as GridEnv

function requestOf(name: string, signal?: AbortSignal, headers: Record<string, string> = {}): Request {
  const url = `http://simulation/events?name=${name}&relay=${name}%230&visibility=full&ids=1`
  return new Request(url, { headers, ...(signal !== undefined && { signal }) })
}

const registered = (name: string) =>
  runInDurableObject(SIMULATION.getByName(name), async (object: SimulationObject) => object.metrics().subscribers)

describe('RelayObject', () => {
  it('names its simulation to a listener that asks for what it missed', async () => {
    await SIMULATION.getByName('lab').create({ case: 'case9' })
    await runInDurableObject(RELAY.getByName('lab#0'), async (relay: RelayObject) => {
      const { body } = await relay.fetch(requestOf('lab', undefined, { 'last-event-id': '01234567-1' }))
      const { value } = (await body?.getReader().read()) ?? {}
      const lines = new TextDecoder().decode(value)
      expect(lines).toContain(': stream of simulation lab\n')
      expect(lines).toContain(': last event id belongs to another session\n')
      relay.closeAll('over')
    })
  })

  it('gives a listener what it missed, and not once more what the relay still delivers to others', async () => {
    await SIMULATION.getByName('burst').create({ case: 'case9' })
    await runInDurableObject(RELAY.getByName('burst#0'), async (relay: RelayObject) => {
      const event = encodeStreamEvent({ topic: 'incident', number: 1, data: 'old' }, '01234567')
      relay.deliver(Array.from({ length: 100 * queueCapacity }, () => event))
      const { body } = await relay.fetch(requestOf('burst', undefined, { 'last-event-id': '01234567-1' }))
      const text = new Response(body).text()
      await new Promise((resolve) => setTimeout(resolve, 50))
      relay.closeAll('over')
      expect(await text).not.toContain('old')
    })
  })

  it('stays with the simulation while a listener comes and the last one before it leaves', async () => {
    await SIMULATION.getByName('shift').create({ case: 'case9' })
    await runInDurableObject(RELAY.getByName('shift#0'), async (relay: RelayObject) => {
      const first = new AbortController()
      await relay.fetch(requestOf('shift', first.signal))
      expect(await registered('shift')).toBe(1)
      const coming = relay.fetch(requestOf('shift'))
      first.abort()
      await coming
      await new Promise((resolve) => setTimeout(resolve, 50))
      expect(await registered('shift')).toBe(1)
      relay.closeAll('over')
      await new Promise((resolve) => setTimeout(resolve, 50))
      expect(await registered('shift')).toBe(0)
    })
  })
})
