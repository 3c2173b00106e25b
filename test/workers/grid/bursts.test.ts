/** Bursts: many events made at once reach every listener that reads, although its queue holds a hundred. */

import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { readEvents } from '#base/event-stream.ts'
import type { Incident } from '#grid/types.ts'
import { startBundle } from '../../support/bundle.ts'
import { gridClient, gridToken, takeIncidents } from '../../support/grid-service.ts'
import { host } from '../../support/host.ts'

const bundle = host(() => startBundle({ worker: 'grid', rebuild: true, vars: { GRID_TOKEN: gridToken } }))

const idsOf = (incidents: readonly Incident[]) => incidents.map(({ id }) => id)

describe('a listener that reads', () => {
  it('receives every attacked message of a request that computes a hundred steps', async () => {
    const client = gridClient(bundle.url, 'steps')
    await client.standAt(50, { pmu_rate: 30 })
    await client.enable('SCALE')
    const streams = [await client.get('/events'), await client.get('/events')]
    // Four units of thirty frames a second for ten seconds.
    const reading = Promise.all(streams.map((stream) => takeIncidents(stream, 1_200)))
    await client.post('/sim/step', { steps: 100 })
    const attacked = (await client.incidents()).filter(({ status }) => status === 'attacked')
    expect(attacked.length).toBe(1_200)
    for (const heard of await reading) expect(idsOf(heard)).toEqual(idsOf(attacked))
  })

  it('receives all of twelve thousand events of five requests, however slowly it reads', async () => {
    const client = gridClient(bundle.url, 'slowly')
    await client.standAt(50, { pmu_rate: 30 })
    await client.enable('SCALE')
    const stream = await client.get('/events')
    const reading = (async () => {
      let heard = 0
      for await (const { event } of readEvents(stream.body)) {
        if (event === 'incident') heard += 1
        // Slower than the engine computes, faster than a reader that counts as one that does not read.
        if (heard % 200 === 0) await sleep(50)
        if (heard === 12_000) break
      }
      return heard
    })()
    for (let request = 0; request < 5; request++) await client.post('/sim/step', { steps: 200 })
    expect(await reading).toBe(12_000)
    expect((await client.simulation()).subscribers_cut_off).toBe(0)
  })

  it('receives every attacked packet of the largest batch that can be ingested', async () => {
    const client = gridClient(bundle.url, 'batch')
    await client.post('/sim/config', { mode: 'external' })
    const stream = await client.get('/events')
    const packets = Array.from({ length: 500 }, (_, index) => ({
      timestamp: 1_764_000_000 + index,
      protocol: 'DNP3',
      status: 'attacked',
      attack_type: 'LAB',
      description: `packet ${index}`,
    }))
    await client.post('/ingest/packets', { source: 'lab', seq: 1, packets })
    const heard = await takeIncidents(stream, 500)
    expect(heard.map(({ description }) => description)).toEqual(packets.map(({ description }) => description))
  })

  it('that reconnects in the middle of a burst receives no event twice', async () => {
    const client = gridClient(bundle.url, 'return')
    await client.standAt(50, { pmu_rate: 30 })
    await client.enable('SCALE')
    const first = await client.get('/events?ids=1')
    await client.step(1)
    const seen = await takeIncidents(first, 3)
    const ids = async () => (await client.incidents()).filter(({ status }) => status === 'attacked')
    const before = await ids()
    const { session_id } = await client.simulation()
    const number = (await client.incidents()).findIndex(({ id }) => id === seen.at(-1)?.id) + 1
    const stepping = client.post('/sim/step', { steps: 5 })
    const headers = { 'last-event-id': `${session_id.slice(0, 8)}-${number}` }
    const again = await client.get('/events?ids=1', { headers })
    await stepping
    const expected = idsOf(await ids()).slice(idsOf(before).indexOf(seen.at(-1)?.id ?? '') + 1)
    expect(idsOf(await takeIncidents(again, expected.length))).toEqual(expected)
  })
})
