/** FrontObject over real counters: each question of a message is counted once, and a message out of order counts nothing. */

import { abortAllDurableObjects, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterAll, describe, expect, it } from 'vitest'
import { type RatelimitEnv, statsName } from '#objects/ratelimit/env.ts'
import { frontCloseCodes, type Question, writeMessage, writeQuestion } from '#ratelimit/front/messages.ts'
import { decodeDraws, type WireDraw } from '#ratelimit/lease/lease.ts'
import type { CounterHit } from '#ratelimit/ports.ts'
import { frontStats } from '#ratelimit/statistics/names.ts'
import { foldedName } from '#ratelimit/statistics/sum.ts'

const { COUNTER, FRONT, STATS } = env as unknown as RatelimitEnv // The bindings of wrangler.toml.

/** Connections that a message has ended. */
let refusals = 0

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
      if (closed === frontCloseCodes.malformed) refusals += 1
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

/** The sum of a statistic. */
async function sumOf(name: string): Promise<number> {
  const sums = await STATS.getByName(statsName).read()
  return sums.find((sum) => sum.name === name)?.value ?? 0
}

const noReport = { counts: [], used: [], refused: [], fills: [], samples: [] }
const usage = (report: object) => `["usage",1,${JSON.stringify({ ...noReport, ...report })}]`
const count = { second: 1, domain: '', rule: '', admitted: 1, refused: 0, shadow: 0 }
const sampled = (request: object) => ({ samples: [{ at: 1, weight: 1, code: 'OK', outcomes: [], request }] })

// The sums are full after a test below: names of other files would find no room among them.
afterAll(async () => {
  await runInDurableObject(STATS.getByName(statsName), (_, { storage }) => storage.deleteAll())
  await abortAllDurableObjects()
})

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

  it('closes the connection at a message whose mistake has characters beyond ASCII', async () => {
    const front = await connect('beyond ASCII')
    front.socket.send(`[1,["${'€'.repeat(38)}",1]]`)
    expect(await front.closeCode()).toBe(frontCloseCodes.malformed)
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

  it.each([
    ['of bytes', new TextEncoder().encode('[1,["rules",1,0,0]]')],
    ['with more questions than the bound', `[1${',["hit",1,[["front_d_",3,1,10,0]]]'.repeat(1_025)}]`],
    ['with a sample that has no descriptors', `[1,${usage(sampled({}))}]`],
    ['with an addend of a letter', `[1,${usage(sampled({ descriptors: [{ entries: [], hitsAddend: 'x' }] }))}]`],
    ['with a longer report than an isolate makes', `[1,${usage({ counts: new Array(801).fill(count) })}]`],
    ['with a second that never comes', `[1,${usage({ counts: [count] }).replace('"second":1', '"second":1e999')}]`],
  ])('closes the connection at a message %s, and answers nothing after it', async (_, text) => {
    const front = await connect('refused')
    front.socket.send(text)
    front.send(1, hit(1, 'front_d_'))
    expect(await front.closeCode()).toBe(frontCloseCodes.malformed)
    expect(await counted('front_d_')).toBe(0)
  })

  it('counts each message that it refused', async () => {
    await expect.poll(() => sumOf(frontStats.refusedMessages)).toBe(refusals)
  })

  it('adds a batch of statistics once that comes again on the next connection', async () => {
    const deltas = [{ name: 'ratelimit.test.once', delta: 5 }]
    for (const _ of [1, 2]) {
      const front = await connect('batch')
      front.send(1, { kind: 'stats', number: 1, sender: 'front of a batch', batch: 1, deltas })
      expect(await front.answer(1)).toEqual(['ok', 1, expect.any(Number)])
    }
    expect(await sumOf('ratelimit.test.once')).toBe(5)
  })

  it('gives nothing back for returns of what a front never had, of more than it had, and of what it has returned', async () => {
    const front = await connect('returns')
    // In order: after, window, milliseconds, granted, outstanding, faults.
    const draw = async (number: number, addend: number, wanted: number, returned: readonly number[]) => {
      const draws: readonly WireDraw[] = [['front_e_', 3, addend, 10_000, wanted, 0, returned]]
      front.send(number, { kind: 'draw', number, call: { object: 'key:front_e_', id: 70 + number, holder: 8, draws } })
      return decodeDraws(((await front.answer(number)) as readonly [string, number, readonly number[]])[2])[0]
    }
    const first = await draw(1, 4, 50, [])
    const [after = 0, granted = 0] = [first?.after, first?.granted]
    expect(granted).toBeGreaterThan(0)
    expect(await draw(2, 0, 0, [99, 4, 71, granted + 1])).toMatchObject({ after, faults: 2 })
    expect(await draw(3, 0, 0, [71, 1])).toMatchObject({ after, faults: 1 })
    expect(await counted('front_e_')).toBe(after)
  })

  it('counts the hits of a front with an old revision and of one with the new together, so that each stops at its limit', async () => {
    const fronts = [
      { front: await connect('old revision'), limit: 15, admitted: 0 },
      { front: await connect('new revision'), limit: 10, admitted: 0 },
    ]
    for (let number = 1; number <= 12; number++) {
      for (const one of fronts) {
        one.front.send(number, { kind: 'hit', number, hits: [{ ...hitOf('front_f_'), limit: one.limit }] })
        const [, , hits] = (await one.front.answer(number)) as [string, number, readonly (readonly number[])[]]
        if ((hits[0]?.[0] ?? 0) <= one.limit) one.admitted += 1
      }
    }
    // The one has the odd counts up to 15, the other the even ones up to 10.
    expect(fronts.map(({ admitted }) => admitted)).toEqual([8, 5])
  })

  it('keeps what ten thousand domains add within the bounds of statistics, and what a clock that is ahead adds at the present', async () => {
    const front = await connect('domains')
    const domains = Array.from({ length: 10_001 }, (_, at) => `domain${at}`)
    const deltas = domains.map((domain) => ({ name: `ratelimit.service.rate_limit.${domain}.k.total_hits`, delta: 1 }))
    front.send(1, { kind: 'stats', number: 1, sender: 'front of domains', batch: 1, deltas })
    expect(await front.answer(1)).toEqual(['ok', 1, expect.any(Number)])
    const sums = await STATS.getByName(statsName).read()
    // STATS_MAX_NAMES, and the name of what found no room.
    expect([sums.length, await sumOf(foldedName)]).toEqual([10_001, expect.any(Number)])
    const now = Math.floor(Date.now() / 1000)
    for (let part = 0; part < 25; part++) {
      const counts = domains
        .slice(part * 400, part * 400 + 400)
        .map((domain) => ({ ...count, second: now + 86_400 + part, domain }))
      front.send(part + 2, { kind: 'usage', number: part + 2, report: { ...noReport, counts } })
      expect(await front.answer(part + 2)).toEqual(['ok', part + 2, expect.any(Number)])
    }
    const { rows } = await STATS.getByName('usage').usage({ step: 1, from: now - 9, to: now + 2 * 86_400 })
    expect(rows.length).toBeGreaterThanOrEqual(400)
    expect(rows.filter(({ start }) => start > Date.now() / 1000)).toEqual([])
  })
})
