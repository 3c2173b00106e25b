/** CounterObject: counts exactly, is durable before it answers, and cleans up after itself. */

import { abortAllDurableObjects, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { WireHit } from '#objects/ratelimit/counter/wire.ts'
import type { CounterObject } from '#objects/ratelimit/counter.ts'
import { type RatelimitEnv, statsName } from '#objects/ratelimit/env.ts'
import type { FirstWindow } from '#objects/ratelimit/storage/first-window.ts'
import { decodeDraws, type WireDraw } from '#ratelimit/lease/lease.ts'
import { writeJoint } from '#ratelimit/ports.ts'
import { unsettledName } from '#ratelimit/statistics/names.ts'
import { units } from '#ratelimit/window.ts'

// The pool gives the bindings of wrangler.toml, which are these.
const { COUNTER, STATS } = env as unknown as RatelimitEnv

const SECOND = units.indexOf('SECOND')
const MINUTE = units.indexOf('MINUTE')
const DAY = units.indexOf('DAY')

let made = 0
/** Names a new counter and gives a fresh stub of it at each call, because a stub does not survive its object. */
function newCounter(): () => DurableObjectStub<CounterObject> {
  made += 1
  const name = `counter test ${made}`
  return () => COUNTER.getByName(name)
}

function newId(): number {
  return Math.floor(Math.random() * Number.MAX_SAFE_INTEGER)
}

async function hitOnce(counter: DurableObjectStub<CounterObject>, ...hits: WireHit[]): Promise<readonly number[]> {
  return counter.hit(newId(), hits)
}

/** Only the counters, without the seconds until reset. */
function totals(answer: readonly number[]): readonly number[] {
  return answer.filter((_, at) => at % 2 === 0)
}

async function rowsOf(counter: DurableObjectStub<CounterObject>): Promise<number> {
  return runInDurableObject(counter, (_, { storage }) => {
    if (storage.kv.get('first') !== undefined) return 1
    const tables = storage.sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'counters'").toArray()
    return tables.length === 0 ? 0 : Number(storage.sql.exec('SELECT count(*) AS n FROM counters').one().n)
  })
}

describe('CounterObject.hit()', () => {
  it('adds up, gives the seconds until the window ends, and keeps keys and units apart', async () => {
    const counter = newCounter()
    const [after, reset] = await hitOnce(counter(), ['a', DAY, 3])
    expect(after).toBe(3)
    expect(reset).toBeGreaterThanOrEqual(1)
    expect(reset).toBeLessThanOrEqual(86_400)
    expect(totals(await hitOnce(counter(), ['a', DAY, 1], ['b', DAY, 5], ['a', MINUTE, 2]))).toEqual([4, 5, 2])
  })

  it('lets the second hit of one call see the first', async () => {
    expect(totals(await hitOnce(newCounter()(), ['a', DAY, 2], ['a', DAY, 2]))).toEqual([2, 4])
  })

  it('counts joint hits all or none, beside hits of other requests, and after a restart too', async () => {
    const counter = newCounter()
    const joint = (key: string, rest: number, limit: number): WireHit => [
      ...([key, DAY, 2, limit, ''] as const),
      writeJoint({ rest, mayRefuse: true, isTogether: true }),
    ]
    const a = joint('a_\nfixed 86400 all_or_nothing', 1, 4)
    const b = joint('b_\nfixed 86400 all_or_nothing', 0, 3)
    expect(totals(await hitOnce(counter(), a, b, ['c', DAY, 1], a, b))).toEqual([2, 2, 1, 2, 4])
    await abortAllDurableObjects()
    expect(totals(await hitOnce(counter(), a, b))).toEqual([2, 4])
    expect(totals(await hitOnce(counter(), a, joint('c', 0, 3)))).toEqual([4, 3])
  })

  it('loses nothing when the object is thrown out of memory', async () => {
    const counter = newCounter()
    await hitOnce(counter(), ['a', DAY, 7])
    await abortAllDurableObjects()
    expect(totals(await hitOnce(counter(), ['a', DAY, 1]))).toEqual([8])
  })

  it('counts every one of 500 overlapping hits once, and all of them are on disk', async () => {
    const counter = newCounter()
    const answers = await Promise.all(Array.from({ length: 500 }, () => hitOnce(counter(), ['a', DAY, 1])))
    const seen = answers.map(([after]) => after ?? 0).sort((one, other) => one - other)
    expect(seen).toEqual(Array.from({ length: 500 }, (_, at) => at + 1))
    await abortAllDurableObjects()
    expect(totals(await hitOnce(counter(), ['a', DAY, 0]))).toEqual([500])
  })

  it('answers a call sent again from its receipt, also after a restart', async () => {
    const counter = newCounter()
    const id = newId()
    const first = await counter().hit(id, [['a', DAY, 1]])
    expect(totals(await counter().hit(id, [['a', DAY, 1]]))).toEqual(totals(first))
    await abortAllDurableObjects()
    expect(totals(await counter().hit(id, [['a', DAY, 1]]))).toEqual([1])
    expect(totals(await hitOnce(counter(), ['a', DAY, 0]))).toEqual([1])
  })

  it('gives hits back down to 0 and leaves a missing counter missing', async () => {
    const counter = newCounter()
    expect(totals(await hitOnce(counter(), ['a', DAY, -5]))).toEqual([0])
    expect(await rowsOf(counter())).toBe(0)
    expect(totals(await hitOnce(counter(), ['a', DAY, 4], ['a', DAY, -1], ['a', DAY, -9]))).toEqual([4, 3, 0])
  })

  it('stores nothing for second-long windows, nor for a look', async () => {
    const counter = newCounter()
    expect(totals(await hitOnce(counter(), ['a', SECOND, 1], ['a', DAY, 0]))[1]).toBe(0)
    expect(await rowsOf(counter())).toBe(0)
  })

  it('stores the only window of a key as one value, with the receipts of its calls', async () => {
    const counter = newCounter()
    for (let hit = 0; hit < 3; hit++) await hitOnce(counter(), ['a', DAY, 1])
    const stored = await runInDurableObject(counter(), (_, { storage }) => ({
      tables: storage.sql.exec("SELECT name FROM sqlite_master WHERE name NOT LIKE '\\_%' ESCAPE '\\'").toArray(),
      values: [...storage.kv.list()].map(([name]) => name),
    }))
    expect(stored).toEqual({ tables: [], values: ['first'] })
  })

  it('starts a second-long window anew when the second has turned', async () => {
    const counter = newCounter()
    await hitOnce(counter(), ['a', SECOND, 5])
    // The platform's clock cannot be moved from here, so the test waits until the second is over.
    await new Promise((resolve) => setTimeout(resolve, 1_100))
    expect(totals(await hitOnce(counter(), ['a', SECOND, 1]))).toEqual([1])
  })

  it('stays at 2^53 - 1', async () => {
    const most = Number.MAX_SAFE_INTEGER
    expect(totals(await hitOnce(newCounter()(), ['a', DAY, most], ['a', DAY, 1]))).toEqual([most, most])
  })

  it('refuses a unit that does not exist', async () => {
    const counter = newCounter()
    await runInDurableObject(counter(), async (instance) => {
      await expect(instance.hit(newId(), [['a', 99, 1]])).rejects.toThrow('unit 99 does not exist')
    })
  })
})

/** The count of a key on disk; undefined when it has no row. */
async function storedHits(counter: DurableObjectStub<CounterObject>, key: string): Promise<unknown> {
  return runInDurableObject(counter, (_, { storage }) => {
    const first = storage.kv.get<FirstWindow>('first')
    if (first !== undefined) return first.key === key ? first.hits : undefined
    const [row] = storage.sql.exec('SELECT hits FROM counters WHERE key = ?', key)
    return row?.hits
  })
}

describe('CounterObject.hitOne() with a limit', () => {
  const limit = 10_000

  async function hitTimes(counter: DurableObjectStub<CounterObject>, times: number): Promise<number> {
    let last = 0
    for (let at = 0; at < times; at++) {
      last = Number.parseInt(await counter.hitOne(newId(), 'a', DAY, 1, limit), 10)
    }
    return last
  }

  it('counts below a ceiling on disk, at most 1 % of the limit ahead', async () => {
    const counter = newCounter()
    expect(await hitTimes(counter(), 300)).toBe(300)
    const stored = Number(await storedHits(counter(), 'a'))
    expect(stored).toBeGreaterThanOrEqual(300)
    expect(stored).toBeLessThanOrEqual(300 + limit / 100)
  })

  it('goes on below the ceiling when the isolate has forgotten the object, after any pause', async () => {
    const counter = newCounter()
    const now = Date.now()
    vi.setSystemTime(now)
    try {
      await hitTimes(counter(), 300)
      const stored = await storedHits(counter(), 'a')
      vi.setSystemTime(now + 50_000)
      await abortAllDurableObjects()
      expect(await hitTimes(counter(), 1)).toBe(301)
      expect(await storedHits(counter(), 'a')).toBe(stored)
    } finally {
      vi.useRealTimers()
    }
  })

  it('counts the ceiling where another isolate wrote the row, at most 1 % of the limit more', async () => {
    const counter = newCounter()
    await hitTimes(counter(), 500)
    await runInDurableObject(counter(), (_, { storage }) => {
      const first = storage.kv.get<FirstWindow>('first')
      if (first !== undefined) storage.kv.put('first', { ...first, isolate: -1 })
    })
    const stored = Number(await storedHits(counter(), 'a'))
    await abortAllDurableObjects()
    expect(await hitTimes(counter(), 1)).toBe(stored + 1)
    expect(stored).toBeLessThanOrEqual(500 + limit / 100)
  })

  it('holds the count itself after hits were given back', async () => {
    const counter = newCounter()
    await hitTimes(counter(), 200)
    await hitOnce(counter(), ['a', DAY, -50, limit])
    expect(await storedHits(counter(), 'a')).toBe(150)
  })

  it('writes every hit of a caller that names no limit', async () => {
    const counter = newCounter()
    await hitTimes(counter(), 100)
    await hitOnce(counter(), ['a', DAY, 1])
    expect(await storedHits(counter(), 'a')).toBe(101)
  })

  it('answers a hit that could not be written with an error, and writes the next one', async () => {
    const counter = newCounter()
    await hitOnce(counter(), ['b', DAY, 1])
    await hitTimes(counter(), 3)
    await runInDurableObject(counter(), async (instance, { storage }) => {
      storage.sql.exec('ALTER TABLE counters RENAME TO away')
      await expect(instance.hitOne(newId(), 'a', DAY, 1_000, limit)).rejects.toThrow('no such table')
      await expect(instance.hitOne(newId(), 'a', DAY, 1, limit)).rejects.toThrow('no such table')
      storage.sql.exec('ALTER TABLE away RENAME TO counters')
    })
    await hitTimes(counter(), 1)
    expect(Number(await storedHits(counter(), 'a'))).toBeGreaterThanOrEqual(1_005)
  })
})

/** Moves the windows on disk into the past. */
async function moveBack(counter: DurableObjectStub<CounterObject>, seconds: number): Promise<void> {
  await runInDurableObject(counter, (_, { storage }) => {
    const first = storage.kv.get<FirstWindow>('first')
    if (first !== undefined) storage.kv.put('first', { ...first, start: first.start - seconds })
    else storage.sql.exec('UPDATE counters SET start = start - ?1, expires = expires - ?1', seconds)
  })
}

/** Runs the alarm at the time for which it is set, by a clock that has come to it. */
async function runAlarm(counter: DurableObjectStub<CounterObject>): Promise<void> {
  const atMs = await runInDurableObject(counter, (_, { storage }) => storage.getAlarm())
  if (atMs === null) throw new Error('no alarm is set')
  vi.setSystemTime(Math.max(atMs, Date.now()))
  await runInDurableObject(counter, async (instance, { storage }) => {
    await storage.deleteAlarm()
    await instance.alarm({ scheduledTime: atMs, isRetry: false, retryCount: 0 })
  })
}

/** Runs the alarm, and makes it look as if that was so long ago that what was over then may go. */
async function lookAndWait(counter: DurableObjectStub<CounterObject>): Promise<void> {
  expect(await runDurableObjectAlarm(counter)).toBe(true)
  await runInDurableObject(counter, (_, { storage }) => {
    const looks = storage.kv.get<{ latest: number; first: readonly (number | null)[] }>('looks')
    const back = (moment: number | null) => (moment === null ? null : moment - 100_000)
    if (looks !== undefined) storage.kv.put('looks', { latest: looks.latest - 100_000, first: looks.first.map(back) })
  })
  await abortAllDurableObjects()
}

describe('CounterObject.alarm()', () => {
  it('is set by the first durable hit, for long after the window, at a moment of the key within one more', async () => {
    const began = Date.now()
    const alarms = await Promise.all(
      Array.from({ length: 40 }, async () => {
        const counter = newCounter()
        await hitOnce(counter(), ['a', MINUTE, 1])
        return Number(await runInDurableObject(counter(), (_, { storage }) => storage.getAlarm()))
      }),
    )
    const windowEnd = (moment: number) => (Math.floor(moment / 60_000) + 1) * 60_000
    const first = Math.min(...alarms)
    const last = Math.max(...alarms)
    expect(first).toBeGreaterThanOrEqual(windowEnd(began) + 150_000)
    expect(last).toBeLessThanOrEqual(windowEnd(Date.now()) + 210_000)
    expect(last - first).toBeGreaterThan(20_000)
  })

  it('is moved by a call after which it would come while the runtime forgets the object', async () => {
    const counter = newCounter()
    await hitOnce(counter(), ['a', MINUTE, 1])
    const hitAt = async (moment: number) => {
      vi.setSystemTime(moment)
      await hitOnce(counter(), ['a', MINUTE, 0])
      return Number(await runInDurableObject(counter(), (_, { storage }) => storage.getAlarm()))
    }
    const alarm = await hitAt(Date.now())
    try {
      expect(await hitAt(alarm - 200_000)).toBe(alarm)
      expect(await hitAt(alarm - 30_000)).toBe(alarm)
      const moved = await hitAt(alarm - 100_000)
      expect(moved).toBeGreaterThanOrEqual(alarm + 49_000)
    } finally {
      vi.useRealTimers()
    }
  })

  it('stays as an earlier instance has set it', async () => {
    const counter = newCounter()
    await hitOnce(counter(), ['a', DAY, 1])
    const alarmOf = () => runInDurableObject(counter(), (_, { storage }) => storage.getAlarm())
    const before = await alarmOf()
    await abortAllDurableObjects()
    await hitOnce(counter(), ['a', DAY, 1], ['b', DAY, 1])
    expect(await alarmOf()).toBe(before)
    await hitOnce(counter(), ['a', MINUTE, 1])
    expect(await alarmOf()).toBeLessThanOrEqual(Date.now() + 300_000)
  })

  it('is set again by the next instance where none is set, or one that is due while the runtime forgets the object', async () => {
    const counter = newCounter()
    await hitOnce(counter(), ['a', DAY, 1])
    const endOfDay = (Math.floor(Date.now() / 86_400_000) + 1) * 86_400_000
    const change = [
      (storage: DurableObjectStorage) => storage.deleteAlarm(),
      (storage: DurableObjectStorage) => storage.setAlarm(Date.now() + 145_000),
    ]
    for (const set of change) {
      await runInDurableObject(counter(), (_, { storage }) => set(storage))
      await abortAllDurableObjects()
      await hitOnce(counter(), ['a', DAY, 1])
      const alarmOf = () => runInDurableObject(counter(), (_, { storage }) => storage.getAlarm())
      await expect.poll(alarmOf).toBeGreaterThan(endOfDay)
    }
  })

  it('comes within half a minute for what has waited for ten', async () => {
    const counter = newCounter()
    await hitOnce(counter(), ['a', MINUTE, 1])
    await moveBack(counter(), 6_000)
    await abortAllDurableObjects()
    await hitOnce(counter(), ['b', DAY, 1])
    const alarm = await runInDurableObject(counter(), (_, { storage }) => storage.getAlarm())
    expect(alarm).toBeLessThanOrEqual(Date.now() + 30_000)
  })

  it('removes windows in batches, with calls between them, and all of them', async () => {
    const counter = newCounter()
    const keys = Array.from({ length: 6_000 }, (_, at) => [`key ${at}`, DAY, 1] as const)
    await hitOnce(counter(), ...keys, ['stays', DAY, 2])
    await runInDurableObject(counter(), (_, { storage }) => {
      storage.sql.exec("UPDATE counters SET start = start - 864000, expires = expires - 864000 WHERE key != 'stays'")
    })
    await abortAllDurableObjects()
    await lookAndWait(counter())
    expect(await rowsOf(counter())).toBe(6_001)
    const seen: number[] = []
    const alarm = runDurableObjectAlarm(counter())
    let isOver = false
    void alarm.finally(() => {
      isOver = true
    })
    // Several callers, so that a call is waiting whenever a batch ends.
    const call = async () => {
      while (!isOver) {
        await hitOnce(counter(), ['stays', DAY, 1])
        seen.push(await rowsOf(counter()))
      }
    }
    await Promise.all(Array.from({ length: 8 }, call))
    expect(await alarm).toBe(true)
    expect(await rowsOf(counter())).toBe(1)
    expect(seen.some((rows) => rows > 1 && rows < 6_001)).toBe(true)
  })

  it.each([
    ['back over the edge of a window and right again', -3_600_000, 400],
    ['ahead and back, with an alarm and a restart meanwhile', 2 * 3_600_000, 100],
  ])('forgets no hit of a clock that leaps %s', async (_, leapMs, meanwhile) => {
    const counter = newCounter()
    const hour = units.indexOf('HOUR')
    const rightMs = (Math.floor(Date.now() / 3_600_000) + 1) * 3_600_000 + 30_000
    const countAfter = async (hits: number) => totals(await hitOnce(counter(), ['a', hour, hits, 900]))[0]
    try {
      vi.setSystemTime(rightMs)
      expect(await countAfter(500)).toBe(500)
      expect(totals(await hitOnce(counter(), ['idle', hour, 800]))[0]).toBe(800)
      vi.setSystemTime(rightMs + leapMs)
      await countAfter(meanwhile)
      expect(await runDurableObjectAlarm(counter())).toBe(true)
      await abortAllDurableObjects()
      await countAfter(0)
      expect(await runDurableObjectAlarm(counter())).toBe(true)
      vi.setSystemTime(rightMs + 10_000)
      expect(await countAfter(1)).toBe(501 + meanwhile)
      expect(totals(await hitOnce(counter(), ['idle', hour, 1]))[0]).toBe(801)
    } finally {
      vi.useRealTimers()
    }
  })

  it('keeps what still counts and comes again', async () => {
    const counter = newCounter()
    await hitOnce(counter(), ['a', DAY, 2])
    expect(await runDurableObjectAlarm(counter())).toBe(true)
    expect(totals(await hitOnce(counter(), ['a', DAY, 1]))).toEqual([3])
    expect(await runInDurableObject(counter(), (_, { storage }) => storage.getAlarm())).not.toBeNull()
  })

  it.each([
    ['one window', [['a', DAY, 2]]],
    [
      'two windows',
      [
        ['a', DAY, 2],
        ['b', DAY, 1],
      ],
    ],
  ] as const)('leaves nothing of %s that are over, and the object counts on afterwards', async (_, hits) => {
    const counter = newCounter()
    onTestFinished(() => void vi.useRealTimers())
    await hitOnce(counter(), ...hits)
    for (let look = 0; look < 2; look++) {
      await runAlarm(counter())
      if (look === 0) expect(await rowsOf(counter())).toBe(hits.length)
      await abortAllDurableObjects()
    }
    const left = await runInDurableObject(counter(), async (_, { storage }) => ({
      tables: storage.sql.exec("SELECT name FROM sqlite_master WHERE name NOT LIKE '\\_%' ESCAPE '\\'").toArray(),
      values: [...storage.kv.list()].length,
      alarm: await storage.getAlarm(),
    }))
    expect(left).toEqual({ tables: [], values: 0, alarm: null })
    expect(totals(await hitOnce(counter(), ['a', DAY, 1]))).toEqual([1])
    await abortAllDurableObjects()
    expect(totals(await hitOnce(counter(), ['a', DAY, 1]))).toEqual([2])
  })
})

describe('CounterObject.block(), read() and reset()', () => {
  it('refuses every hit until the moment, across restarts, and goes on counting', async () => {
    const counter = newCounter()
    const until = Math.floor(Date.now() / 1000) + 3_600
    expect(await counter().block('a', until)).toEqual({ counters: [], blockedUntil: until })
    await abortAllDurableObjects()
    expect(totals(await hitOnce(counter(), ['a', DAY, 1], ['b', DAY, 1]))).toEqual([Number.MAX_SAFE_INTEGER, 1])
    await counter().block('a', 0)
    expect(totals(await hitOnce(counter(), ['a', DAY, 1]))).toEqual([2])
  })

  it('answers the wait until the block ends, and until the window does where that is later and the counter over', async () => {
    const counter = newCounter()
    const atMs = (Math.floor(Date.now() / 3_600_000) + 1) * 3_600_000 + 55_000
    vi.setSystemTime(atMs)
    const waits = async (...hits: WireHit[]) => (await hitOnce(counter(), ...hits)).filter((_, at) => at % 2 === 1)
    try {
      await hitOnce(counter(), ['a', MINUTE, 3, 2], ['a', DAY, 3, 900])
      await counter().block('a', atMs / 1000 + 600)
      expect(await waits(['a', MINUTE, 1, 9], ['a', MINUTE, 1, 2], ['a', DAY, 1, 900])).toEqual([600, 600, 600])
      expect(await waits(['a', MINUTE, 0], ['a', MINUTE, 0, 2])).toEqual([600, 600])
      await counter().block('a', atMs / 1000 + 2)
      expect(await waits(['a', MINUTE, 1, 900], ['a', MINUTE, 1, 2])).toEqual([2, 5])
    } finally {
      vi.useRealTimers()
    }
  })

  it('reads every open window of a key, changing nothing', async () => {
    const counter = newCounter()
    // A minute that turned between the hit and the look would have closed its window.
    vi.setSystemTime(Date.now())
    try {
      await hitOnce(counter(), ['a', DAY, 3], ['a', MINUTE, 1])
      const { counters, blockedUntil } = await counter().read('a')
      expect(blockedUntil).toBeNull()
      expect(counters.map(({ unit, hits }) => [unit, hits])).toEqual([
        ['MINUTE', 1],
        ['DAY', 3],
      ])
      expect(await counter().read('a')).toMatchObject({ counters })
    } finally {
      vi.useRealTimers()
    }
  })

  it('forgets a key and nothing else', async () => {
    const counter = newCounter()
    await hitOnce(counter(), ['a', DAY, 3], ['b', DAY, 4])
    expect((await counter().reset('a')).counters).toMatchObject([{ unit: 'DAY', hits: 3 }])
    await abortAllDurableObjects()
    expect(totals(await hitOnce(counter(), ['a', DAY, 0], ['b', DAY, 0]))).toEqual([0, 4])
  })

  it('counts from zero after it, below a ceiling and across a restart', async () => {
    const counter = newCounter()
    const hitTimes = async (times: number) => {
      let last = ''
      for (let at = 0; at < times; at++) last = await counter().hitOne(newId(), 'a', DAY, 1, 100_000)
      return Number.parseInt(last, 10)
    }
    expect(await hitTimes(50)).toBe(50)
    expect((await counter().reset('a')).counters).toMatchObject([{ hits: 50 }])
    expect(await rowsOf(counter())).toBe(0)
    expect(await hitTimes(3)).toBe(3)
    await abortAllDurableObjects()
    expect(await hitTimes(1)).toBe(4)
    expect((await counter().reset('a')).counters).toMatchObject([{ hits: 4 }])
    await abortAllDurableObjects()
    expect(await hitTimes(1)).toBe(1)
    expect(await storedHits(counter(), 'a')).toBe(1)
  })

  it('forgets hits whose commit is on its way, so that the end of the commit brings none of them back', async () => {
    const counter = newCounter()
    const counted = await runInDurableObject(counter(), async (object) => {
      const before = [object.hit(newId(), [['a', DAY, 3]]), object.hit(newId(), [['a', DAY, 2]])]
      await object.reset('a')
      await Promise.all(before)
      return totals(await object.hit(newId(), [['a', DAY, 1]]))
    })
    expect(counted).toEqual([1])
    await abortAllDurableObjects()
    expect(totals(await hitOnce(counter(), ['a', DAY, 0]))).toEqual([1])
  })
})

/** Draws from counter `a` of a day with a limit of 100. */
function drawOf({ addend = 0, wanted = 0, all = 0 as 0 | 1, returned = [] as readonly number[] }): WireDraw {
  return ['a', DAY, addend, 100, wanted, all, returned]
}

describe('CounterObject.lease()', () => {
  const draw = async (counter: DurableObjectStub<CounterObject>, wire: WireDraw, id = newId()) => {
    const [answer] = decodeDraws(await counter.lease(id, 1, [wire]))
    return { id, ...answer }
  }

  it('counts the addend as hit() does, and what it grants as used', async () => {
    const counter = newCounter()
    expect(await draw(counter(), drawOf({ addend: 2 }))).toMatchObject({ after: 2, granted: 0 })
    const first = await draw(counter(), drawOf({ wanted: 40 }))
    expect(first).toMatchObject({ after: 42, granted: 40, outstanding: 40, faults: 0 })
    expect(totals(await hitOnce(counter(), ['a', DAY, 1]))).toEqual([43])
    const { counters } = await counter().read('a')
    expect(counters).toMatchObject([{ hits: 43, outstanding: 40 }])
    expect(first.millisecondsUntilReset).toBeGreaterThan(0)
    expect(first.millisecondsUntilReset).toBeLessThanOrEqual(86_400_000)
  })

  it('remembers across a restart what it has handed out, and takes back once what had all that was left', async () => {
    const counter = newCounter()
    const all = await draw(counter(), drawOf({ wanted: 60, all: 1 }))
    const shared = await draw(counter(), drawOf({ wanted: 10 }))
    await abortAllDurableObjects()
    // A ceiling may be 1 % of the limit ahead of the count.
    const { hits = 0, outstanding } = (await counter().read('a')).counters[0] ?? {}
    expect([hits === 70 || hits === 71, outstanding]).toEqual([true, 60])
    const back = await draw(counter(), drawOf({ returned: [all.id, 50, shared.id, 10] }))
    expect(back).toMatchObject({ after: hits - 50, outstanding: 0, faults: 1 })
    await abortAllDurableObjects()
    expect(await draw(counter(), drawOf({ returned: [all.id, 50] }))).toMatchObject({ faults: 1 })
  })

  it('answers a repeated call from its receipt, across a restart, and grants once', async () => {
    const counter = newCounter()
    const { id, ...answer } = await draw(counter(), drawOf({ wanted: 10 }))
    expect(await draw(counter(), drawOf({ wanted: 10 }), id)).toEqual({ id, ...answer })
    await abortAllDurableObjects()
    expect(await draw(counter(), drawOf({ wanted: 10 }), id)).toEqual({ id, ...answer })
    expect(totals(await hitOnce(counter(), ['a', DAY, 0]))).toEqual([10])
  })

  it('is on disk before the answer, with any durability', async () => {
    const counter = newCounter()
    await draw(counter(), drawOf({ wanted: 10 }))
    expect(await rowsOf(counter())).toBe(1)
  })

  it('looks without making a counter', async () => {
    const counter = newCounter()
    expect(await draw(counter(), drawOf({}))).toMatchObject({ after: 0, granted: 0 })
    expect(await rowsOf(counter())).toBe(0)
  })

  it('grants nothing of a blocked key', async () => {
    const counter = newCounter()
    await counter().block('a', Math.floor(Date.now() / 1000) + 3_600)
    const blocked = await draw(counter(), drawOf({ addend: 1, wanted: 10 }))
    expect(blocked).toMatchObject({ after: Number.MAX_SAFE_INTEGER, granted: 0 })
  })

  it('keeps what is in open leases counted when an operator resets the key', async () => {
    const counter = newCounter()
    await draw(counter(), drawOf({ addend: 5, wanted: 10 }))
    await counter().reset('a')
    expect(totals(await hitOnce(counter(), ['a', DAY, 0]))).toEqual([10])
    await abortAllDurableObjects()
    expect(totals(await hitOnce(counter(), ['a', DAY, 0]))).toEqual([10])
  })
})

describe('CounterObject with algorithms', () => {
  const hour = units.indexOf('HOUR')
  const key = 'shop_user_a_'
  const sliding: WireHit = [`${key}\nsliding 900`, hour, 3, 10]
  const bucket: WireHit = [`${key}\ntoken_bucket 60 5`, hour, 2, 1]
  const looks = [sliding, bucket].map(([name, , addend, limit = null]) => ({
    key: name,
    unit: 'HOUR' as const,
    addend,
    limit: limit ?? 0,
  }))

  it('counts beside the windows of the key, and loses nothing when it is thrown out of memory', async () => {
    const counter = newCounter()
    expect(totals(await hitOnce(counter(), [key, hour, 1, 10], sliding, bucket))).toEqual([1, 3, 2])
    await abortAllDurableObjects()
    expect(totals(await hitOnce(counter(), [key, hour, 1, 10], sliding, bucket))).toEqual([2, 6, 4])
    expect(totals(await hitOnce(counter(), bucket))).toEqual([6])
    expect(totals(await hitOnce(counter(), [bucket[0], hour, 1, 1]))).toEqual([5])
  })

  it('writes ahead of a burst, and finds at most a hundredth of the limit more after a crash', async () => {
    const counter = newCounter()
    const burst: WireHit = [`${key}\nsliding 900`, hour, 1, 100_000]
    for (let hit = 0; hit < 300; hit++) await hitOnce(counter(), burst)
    await abortAllDurableObjects()
    const [after = 0] = await hitOnce(counter(), burst)
    expect(after).toBeGreaterThanOrEqual(301)
    expect(after).toBeLessThanOrEqual(1_301)
  })

  it('reads, blocks and forgets them by the key of their descriptor', async () => {
    const counter = newCounter()
    await hitOnce(counter(), [key, hour, 4, 10], sliding, bucket)
    const reading = await counter().read(key, looks)
    expect(reading.counters.map(({ algorithm, hits }) => [algorithm, hits])).toEqual([
      [undefined, 4],
      ['sliding 900', 3],
      ['token_bucket 60 5', 2],
    ])
    await counter().block(key, Math.floor(Date.now() / 1000) + 60)
    const [after, wait] = await hitOnce(counter(), sliding)
    expect([after, (wait ?? 0) > 50]).toEqual([Number.MAX_SAFE_INTEGER, true])
    expect((await counter().reset(key, looks)).counters).toHaveLength(3)
    expect(await counter().read(key, looks)).toEqual({ counters: [], blockedUntil: null })
    await abortAllDurableObjects()
    expect(totals(await hitOnce(counter(), sliding, bucket))).toEqual([3, 2])
  })
})

describe('CounterObject.hit() on a counter with reservations', () => {
  const key = 'reserved_\nfixed 3600 unsettled charged 600'
  const day = units.indexOf('DAY')
  const reserve = (id: string, hits: number): WireHit => [key, day, hits, 100, `reserve ${id}`]
  const settle = (id: string, cost: number): WireHit => [key, day, cost, 100, `settle ${id}`]

  it('keeps them through a crash, and settles each once', async () => {
    const counter = newCounter()
    expect(totals(await hitOnce(counter(), reserve('a', 60), reserve('b', 30), reserve('c', 30)))).toEqual([
      60, 90, 120,
    ])
    await abortAllDurableObjects()
    expect(await hitOnce(counter(), settle('a', 10))).toEqual([40, expect.any(Number)])
    await abortAllDurableObjects()
    const faults = [-1, 0].map((fault) => [40, fault])
    expect(await hitOnce(counter(), settle('a', 10), settle('c', 5))).toEqual(faults.flat())
    expect(totals(await hitOnce(counter(), settle('b', 70), [key, day, 0, 100]))).toEqual([80, 80])
  })

  it('answers a settlement that is sent again from its receipt', async () => {
    const counter = newCounter()
    await hitOnce(counter(), reserve('a', 60))
    const id = newId()
    const first = await counter().hit(id, [settle('a', 10)])
    await abortAllDurableObjects()
    expect(await counter().hit(id, [settle('a', 10)])).toEqual(first)
    expect(totals(await hitOnce(counter(), [key, day, 0, 100]))).toEqual([10])
  })

  it('keeps them in tables beside other counters as well', async () => {
    const counter = newCounter()
    await hitOnce(counter(), ['plain_', day, 1, 100], reserve('a', 60))
    await abortAllDurableObjects()
    expect(totals(await hitOnce(counter(), settle('a', 0), ['plain_', day, 0, 100]))).toEqual([0, 1])
  })

  it('counts those that ended without a settlement, once their counter is hit again', async () => {
    const counter = newCounter()
    const stats = () => STATS.getByName(statsName)
    const unsettled = async () => (await stats().read()).find(({ name }) => name === unsettledName)?.value ?? 0
    const before = await unsettled()
    const nowMs = Date.now()
    try {
      vi.setSystemTime(nowMs)
      await hitOnce(counter(), reserve('a', 1), reserve('b', 1))
      vi.setSystemTime(nowMs + 601_000)
      await hitOnce(counter(), [key, day, 0, 100], reserve('c', 1), reserve('d', 1))
    } finally {
      vi.useRealTimers()
    }
    await vi.waitFor(async () => expect((await unsettled()) - before).toBe(2), { timeout: 30_000 })
  })

  it('settles a blocked key, and refuses its hits, which open nothing', async () => {
    const counter = newCounter()
    await hitOnce(counter(), reserve('a', 60))
    await counter().block('reserved_', Math.floor(Date.now() / 1000) + 60)
    expect(totals(await hitOnce(counter(), reserve('b', 1), settle('a', 2)))).toEqual([Number.MAX_SAFE_INTEGER, 2])
  })
})
