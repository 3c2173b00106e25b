/** Streams of a simulation that was deleted: a refusal with its reason. */

import { env, runInDurableObject } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import type { GridEnv } from '#objects/grid/env.ts'
import type { SimulationObject } from '#objects/grid/simulation.ts'
import { listenToCommands } from '#workers/grid/event-streams.ts'

describe('openEvents()', () => {
  it('opens no stream of a simulation that was deleted while the request was on its way', async () => {
    const gridEnv = env as unknown as GridEnv
    const simulation = gridEnv.SIMULATION.getByName('gone')
    await runInDurableObject(simulation, (object: SimulationObject) => object.remove())
    const request = new Request('http://grid/api/v1/ingest/commands')
    const call = { request, url: new URL(request.url), env: gridEnv, name: 'gone', basePath: '', warnings: [] }
    await expect(listenToCommands({ ...call, right: 'operator', simulation })).rejects.toMatchObject({
      code: 'not_found',
    })
  })
})
