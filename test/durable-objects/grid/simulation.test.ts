/** SimulationObject from outside: its first write, its starts without bound, and its deletion. */

import { abortAllDurableObjects, env, runInDurableObject } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { scenarioNames, scenarioValue } from '#grid/scenario/library.ts'
import type { GridEnv } from '#objects/grid/env.ts'
import type { SimulationObject } from '#objects/grid/simulation.ts'
import { maximumStarts } from '#objects/grid/storage/session-tables.ts'
import { openSimulationStore } from '#objects/grid/storage/simulation.ts'
import { inside } from './simulation/simulation-run.ts'

describe('SimulationObject', () => {
  it('writes nothing for a refused caller, and the session for one with a token', async () => {
    const { SIMULATION } = env as unknown as GridEnv
    const simulation = SIMULATION.getByName('anybody')
    const tables = () =>
      inside('anybody', ({ storage }) =>
        storage.sql.exec("SELECT name FROM sqlite_master WHERE name = 'session'").toArray(),
      )
    expect(JSON.parse(await simulation.status({}))).toMatchObject({ run: 'new', sim_running: false })
    expect(await simulation.takeTicket('0'.repeat(32))).toBe(false)
    expect(await tables()).toEqual([])
    const { session_id } = JSON.parse(await simulation.simulation())
    expect(await tables()).toHaveLength(1)
    const kept = await inside('anybody', ({ storage }) => openSimulationStore(storage).readSession())
    expect(kept).toMatchObject({ sessionId: session_id, run: 'running' })
  })

  it('refuses to start a session that was started too often', async () => {
    const { SIMULATION } = env as unknown as GridEnv
    const stub = () => SIMULATION.getByName('started')
    const start = () => runInDurableObject(stub(), (object) => object.start())
    expect(await start()).toMatchObject({ ok: true })
    await runInDurableObject(stub(), (object, state) => {
      object.stop()
      state.storage.sql.exec(
        `WITH RECURSIVE n(i) AS (SELECT 10 UNION ALL SELECT i + 1 FROM n WHERE i < ${maximumStarts + 9})
         INSERT INTO command SELECT i, 0, '{"kind":"clock","step":0,"timeUs":1,"reason":"resume"}' FROM n`,
      )
    })
    await abortAllDurableObjects()
    expect(await start()).toMatchObject({ ok: false, code: 'too_many' })
  })

  it('is not created again by requests that arrive after its deletion', async () => {
    const { SIMULATION } = env as unknown as GridEnv
    await runInDurableObject(SIMULATION.getByName('deleted'), async (object: SimulationObject) => {
      object.create({ case: 'case9' })
      expect(object.start()).toMatchObject({ ok: true })
      expect(object.setSpeed(20)).toMatchObject({ ok: true })
      await object.remove()
      object.simulation()
      await object.incidents({ limit: 1 }).cancel()
      expect((await object.fetch(new Request('http://simulation/events?name=deleted'))).status).toBe(404)
      const orders = [
        object.start(),
        object.stop(),
        object.reset(),
        object.setSpeed(2),
        object.order({ kind: 'load', scale: 2 }, 'full'),
        object.play({ value: scenarioValue(scenarioNames[0] ?? ''), start: true }),
      ]
      expect(orders.map((one) => (one.ok ? 'taken' : one.code))).toEqual(orders.map(() => 'not_found'))
      expect(await object.createTicket('operator')).toMatchObject({ ok: false, code: 'not_found' })
      expect(object.isUsed()).toBe(false)
      object.create({ case: 'case30' })
      expect(object.start()).toMatchObject({ ok: true })
      expect(JSON.parse(object.configuration())).toMatchObject({ case: 'case30' })
      expect(JSON.parse(object.simulation())).toMatchObject({ speed: 1 })
      await object.remove()
    })
  })
})
