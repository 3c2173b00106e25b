/** Commands to an outside simulator: it ends the attacks that a new session does not have. */

import { env, runInDurableObject } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import type { GridEnv } from '#objects/grid/env.ts'
import type { SimulationObject } from '#objects/grid/simulation.ts'

describe('disableOutside()', () => {
  it('tells an outside simulator to end its attacks when another session begins', async () => {
    const { SIMULATION } = env as unknown as GridEnv
    await runInDurableObject(SIMULATION.getByName('outside'), async (object: SimulationObject) => {
      object.create({ mode: 'external' })
      const { body } = await object.fetch(new Request('http://simulation/commands?name=outside'))
      const text = new Response(body).text()
      object.enableAttack({ type: 'NOISE', params: {} })
      expect(JSON.parse(object.attacks()).active).toHaveLength(1)
      object.reset()
      expect(JSON.parse(object.attacks()).active).toEqual([])
      await new Promise((resolve) => setTimeout(resolve, 50))
      await object.remove()
      expect(await text).toContain('{"command":"disable","attack_ids":["NOISE-1"]}')
    })
  })
})
