/** FrontObject over real counters: each question of a message is counted once, and a message out of order counts nothing. */

import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import type { RatelimitEnv } from '#objects/ratelimit/env.ts'
import { frontCloseCodes, type Question, writeMessage, writeQuestion } from '#ratelimit/front/messages.ts'
import { decodeDraws, type WireDraw } from '#ratelimit/lease/lease.ts'
import type { CounterHit } from '#ratelimit/ports.ts'

const { COUNTER, FRONT } = env as unknown as RatelimitEnv // The bindings of wrangler.toml.

/** Connects a front by hand. */
async function connect(name: string) {
  const { webSocket: socket } = await FRONT.getByName(name).fetch('https://front', {
    headers: { upgrade: 'websocket' },
  })
  if (socket === null) return expect.fail('the object gave no socket')
  const items: unknown[] = []
  let closed: number | undefined
  socket.addEventListener('message', ({ data }) => {
    items.push(...(JSON.parse(String(data)) as readonly unknown[]).slice(1))
  })
  socket.addEventListener('close', ({ code }) => {
    closed = code
  })
  socket.accept()
  return {
    socket,
    items,
    send: (sequence: number, ...questions: readonly Question[]) =>
      socket.send(writeMessage(sequence, questions.map(writeQuestion))),
    /** Waits for the answer to a question. */
    async answer(number: number): Promise<unknown> {
      const find = () => items.find((item) => Array.isArray(item) && item[1] === number)
      await expect.poll(() => (find() === undefined ? items : 'answered')).toBe('answered')
      return find()
    },
    async closeCode() {
      await expect.poll(() => closed).toBeDefined()
      return closed
    },
  }
}

const hitOf = (key: string): CounterHit => ({ key, unit: 'DAY', addend: 1, limit: 10 })
const hit = (number: number, ...keys: readonly string[]): Question => ({ kind: 'hit', number, hits: keys.map(hitOf) })

/** Reads how many hits a counter has, by a draw that asks for nothing. */
async function counted(key: string): Promise<number | undefined> {
  const [draw] = decodeDraws(await COUNTER.getByName(`key:${key}`).lease(1, 9, [[key, 3, 0, 10, 0, 0, []]]))
  return draw?.after
}

describe('FrontObject', () => {
  it('answers the questions of a message, in which hits of one counter keep their order', async () => {
    const front = await connect('answers')
    front.send(1, hit(1, 'front_a_'), hit(2, 'front_a_', 'front_b_'), {
      ...hit(3, 'front_a_'),
      kind: 'look',
    } as Question)
    expect(await front.answer(1)).toEqual(['ok', 1, [[1, expect.any(Number)]]])
    expect(await front.answer(2)).toMatchObject([
      'ok',
      2,
      [
        [2, expect.any(Number)],
        [1, expect.any(Number)],
      ],
    ])
    expect(await front.answer(3)).toMatchObject(['ok', 3, [[2, expect.any(Number)]]])
    expect(front.items[0]).toEqual(['ready', expect.any(Object)])
    expect(await counted('front_a_')).toBe(2)
  })

  it.each([
    ['repeated', 1],
    ['ahead of its turn', 3],
  ])('closes the connection at a message that is %s, and counts nothing of it', async (state, sequence) => {
    const key = `front_${sequence}_`
    const front = await connect(state)
    front.send(1, hit(1, key))
    await front.answer(1)
    front.send(sequence, hit(2, key))
    expect(await front.closeCode()).toBe(frontCloseCodes.malformed)
    expect(await counted(key)).toBe(1)
  })

  it('closes the connection at half a message, and counts nothing of it', async () => {
    const front = await connect('half')
    front.socket.send(writeMessage(1, [writeQuestion(hit(1, 'front_half_')), '["hit",2,[["front_half_",3']))
    expect(await front.closeCode()).toBe(frontCloseCodes.malformed)
    expect(await counted('front_half_')).toBe(0)
  })

  it('closes the last connection of a front that connects again', async () => {
    const first = await connect('again')
    const second = await connect('again')
    expect(await first.closeCode()).toBe(frontCloseCodes.replaced)
    second.send(1, hit(1, 'front_again_'))
    expect(await second.answer(1)).toMatchObject(['ok', 1, [[1, expect.any(Number)]]])
  })

  it('refuses a draw from an object that does not count the key, and answers the rest of the message', async () => {
    const front = await connect('misplaced')
    const draws: readonly WireDraw[] = [['front_c_', 3, 1, 10, 5, 0, []]]
    const call = { object: 'key:front_other_', id: 1, holder: 1, draws }
    front.send(1, { kind: 'draw', number: 1, call }, hit(2, 'front_c_'))
    expect(await front.answer(1)).toMatchObject([
      'failed',
      1,
      expect.stringContaining('a key is not of the object named'),
    ])
    expect(await front.answer(2)).toMatchObject(['ok', 2, [[1, expect.any(Number)]]])
    expect(await counted('front_c_')).toBe(1)
  })
})
