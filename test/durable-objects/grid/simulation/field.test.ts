/** The connection of a front: one at a time, and none of a front that was replaced. */

import { env, runInDurableObject } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { fieldCloseCodes, fieldPath } from '#grid/field/messages.ts'
import type { GridEnv } from '#objects/grid/env.ts'
import type { SimulationObject } from '#objects/grid/simulation.ts'

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
})

function unwrap<Value>(answer: { readonly ok: boolean; readonly value?: Value }): Value | undefined {
  return answer.value
}
