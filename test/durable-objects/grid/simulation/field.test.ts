/** The connection of a front: one at a time, and none of a front that was replaced. */

import { env, runInDurableObject } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { fieldCloseCodes, fieldPath } from '#grid/field/messages.ts'
import type { GridEnv } from '#objects/grid/env.ts'
import { openFieldLink } from '#objects/grid/simulation/field.ts'
import { openSession } from '#objects/grid/simulation/session.ts'
import type { SimulationObject } from '#objects/grid/simulation.ts'
import { openSimulationStore } from '#objects/grid/storage/simulation.ts'
import { inside } from './simulation-run.ts'

/** Connects a front, and keeps what it gets. */
async function connect(object: SimulationObject) {
  const opened = await object.fetch(new Request(`http://simulation${fieldPath}`, { headers: { upgrade: 'websocket' } }))
  const socket = opened.webSocket
  if (socket === null) throw new Error('no socket')
  const messages: unknown[] = []
  const closed = new Promise<number>((resolve) => socket.addEventListener('close', ({ code }) => void resolve(code)))
  socket.addEventListener('message', ({ data }) => void messages.push(JSON.parse(String(data))))
  socket.accept()
  return { socket, messages, closed }
}

const turn = () => new Promise((resolve) => setTimeout(resolve, 20))

describe('openFieldLink()', () => {
  it('takes nothing more of a front that another has replaced, or whose message was malformed', async () => {
    const { SIMULATION } = env as unknown as GridEnv
    await runInDurableObject(SIMULATION.getByName('fronts'), async (object: SimulationObject) => {
      object.create({ case: 'case9' })
      const first = await connect(object)
      const second = await connect(object)
      first.socket.send(JSON.stringify([['open', 1, 'RTU-1']]))
      await turn()
      expect(await first.closed).toBe(fieldCloseCodes.replaced)
      expect(second.messages).toEqual([{ stations: expect.anything() }])
      second.socket.send('?')
      second.socket.send(JSON.stringify([['open', 1, 'RTU-1']]))
      expect(await second.closed).toBe(fieldCloseCodes.malformed)
      const { field } = JSON.parse(await new Response(unwrap(object.export('session'))).text())
      expect(field).toBeUndefined()
      await object.remove()
    })
  })

  it('dismisses its front when an outside simulator is to feed the session', async () => {
    const { SIMULATION } = env as unknown as GridEnv
    await runInDurableObject(SIMULATION.getByName('handed over'), async (object: SimulationObject) => {
      object.create({ case: 'case9' })
      const front = await connect(object)
      object.configure({ mode: 'external' })
      expect(await front.closed).toBe(fieldCloseCodes.refused)
      await object.remove()
    })
  })

  it('counts no connection once the simulation was deleted', () =>
    inside('counted', async (state) => {
      const session = openSession(openSimulationStore(state.storage), 0)
      const link = openFieldLink(session)
      const { webSocket } = link.connect({ touch: () => 0, advanceNow: () => undefined, sinceStepUs: () => 0 })
      webSocket?.accept()
      webSocket?.send(JSON.stringify([['open', 1, 'RTU-1']]))
      await turn()
      expect(link.count()).toBe(1)
      link.end()
      expect(link.count()).toBe(0)
    }))
})

function unwrap<Value>(answer: { readonly ok: boolean; readonly value?: Value }): Value | undefined {
  return answer.value
}
