/** The object from inside: what it writes, how it restores itself, and that it keeps to its budget. */

import { abortAllDurableObjects, env, runInDurableObject } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { encodeBase64 } from '#base/base64.ts'
import { listRing } from '#base/ring.ts'
import { doAtOnce } from '#base/slices.ts'
import { defaultConfiguration } from '#grid/configuration.ts'
import type { PacketBatch } from '#grid/interface/ingest-requests.ts'
import { capturedFrames, type Records } from '#grid/records/records.ts'
import { catchUpSteps } from '#grid/step/step-schedule.ts'
import { drawTicket } from '#objects/base/tickets.ts'
import type { GridEnv } from '#objects/grid/env.ts'
import { openClock } from '#objects/grid/simulation/clock.ts'
import { openExternalSession } from '#objects/grid/simulation/external-session.ts'
import { enableAttack } from '#objects/grid/simulation/orders.ts'
import { openSession, type Publish, snapshotSteps } from '#objects/grid/simulation/session.ts'
import { keepTicket, takeTicket } from '#objects/grid/simulation/tickets.ts'
import type { SimulationObject } from '#objects/grid/simulation.ts'
import { splitRecords } from '#objects/grid/storage/record-chunks.ts'
import {
  maximumCommands,
  maximumStarts,
  openSimulationStore,
  type SessionRow,
  type SimulationStore,
} from '#objects/grid/storage/simulation.ts'
import { far, near } from '../../support/grid-context.ts'
import { encodeUdpFrame, newHosts } from '../../support/grid-frames.ts'

function inside<T>(name: string, look: (state: DurableObjectState) => T | Promise<T>): Promise<T> {
  // The test pool gives the bindings of wrangler.toml; these are the grid's.
  const { SIMULATION } = env as unknown as GridEnv
  return runInDurableObject(SIMULATION.getByName(name), (_: SimulationObject, state) => look(state))
}

const configuration = { ...defaultConfiguration, start_time: 1_764_000_000, auto_pause_s: 0 }
const quiet = () => undefined
const incident = { id: '', timestamp: 0, timestamp_iso: '', protocol: 'X', attack_type: '', status: 'clean' } as const
const bulky = encodeBase64(encodeUdpFrame(near, far, new Uint8Array(1_400).fill(1), newHosts()))

/** Packets of an outside simulator, some of which carry a frame. */
function batchOf(seq: number, count: number, frames = 0): PacketBatch {
  const packets = Array.from({ length: count }, (_, index) => ({
    timestamp: seq,
    protocol: 'DNP3',
    status: 'clean',
    ...(index < frames ? { raw_b64: bulky } : {}),
  }))
  return { source: 'lab', seq, packets, rejected: [] }
}

/** The row of a session that has not run yet. */
const newRow: SessionRow = {
  sessionId: '00000000-0000-4000-8000-000000000000',
  createdMs: 0,
  configuration: { ...configuration, start_time: null },
  run: 'new',
  step: 0,
  anchorMs: 0,
  anchorStep: 0,
  speed: 1,
  activeMs: 0,
}

/** A session of tables with a clock without listeners. */
function openSimulationRun(store: SimulationStore, publish: Publish, nowMs: number) {
  const session = openSession(store, nowMs)
  const alarms = { getAlarm: async () => null, setAlarm: async () => undefined }
  const clock = openClock(session, publish, { direct: () => 0, all: () => 0 }, alarms)
  const { touch: _, ...driven } = clock
  return { ...session, ...driven }
}

describe('SimulationObject', () => {
  it('leaves nothing on disk for those who have no token, and everything for those who have one', async () => {
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
})

describe('openSession() with its clock', () => {
  it('restores the very world and records, from a snapshot and the commands after it', () =>
    inside('restore', (state) => {
      const store = openSimulationStore(state.storage)
      const run = openSimulationRun(store, quiet, 1_000)
      run.create(configuration, 1_000)
      run.setRun('running', 1_000)
      doAtOnce(run.stepBy(snapshotSteps + 20))
      const order = {
        attack_id: 'REPLAY-1',
        type: 'REPLAY',
        params: { buffer_size: 5, refresh_timestamps: false },
        schedule: { start_frame: 0, duration_frames: 0 },
        target_link: null,
        seed: 1,
      }
      run.command({ kind: 'enable', order })
      run.advanceNow(1_000 + 15_300)
      const again = openSimulationRun(store, quiet, 9_000)
      // The promise on disk is up to a second ahead of what was computed; the first run catches up with it.
      expect(again.world().step - run.world().step).toBeGreaterThanOrEqual(0)
      doAtOnce(run.stepBy(again.world().step - run.world().step))
      expect(again.session().sessionId).toBe(run.session().sessionId)
      expect(JSON.stringify(again.world())).toBe(JSON.stringify(run.world()))
      expect(JSON.stringify(listRing(again.records().incidents))).toBe(
        JSON.stringify(listRing(run.records().incidents)),
      )
      expect(listRing(again.records().frames)).toEqual(listRing(run.records().frames))
    }))

  it('is after a step that failed what it would be without it, and goes on with a new world when it fails again', () =>
    inside('failed', (state) => {
      const store = openSimulationStore(state.storage)
      const run = openSimulationRun(store, quiet, 1_000)
      run.create(configuration, 1_000)
      run.setRun('stopped', 1_000)
      doAtOnce(run.stepBy(snapshotSteps + 20))
      run.command({ kind: 'switch', breaker: 'CB-2-3', closed: false })
      const before = JSON.stringify(run.world())
      const frames = listRing(run.records().frames)
      /** Makes the step fail at its end, when nearly everything in the world has changed. */
      const spoil = () =>
        Object.defineProperty(run.world(), 'lastFrameUs', {
          get: () => {
            throw new Error('a fault of the engine')
          },
        })
      spoil()
      expect(() => run.runStep(quiet)).toThrow('a fault of the engine')
      expect(JSON.stringify(run.world())).toBe(before)
      expect(listRing(run.records().frames)).toEqual(frames)
      spoil()
      expect(() => run.runStep(quiet)).toThrow('a fault of the engine')
      expect(run.world().step).toBe(snapshotSteps + 20)
      expect(JSON.stringify(run.world())).not.toBe(before)
      doAtOnce(run.stepBy(20))
      expect(run.world().plant.open).toEqual([3])
    }))

  it('keeps nothing of the session before it in any table, except tickets', () =>
    inside('anew', async (state) => {
      const store = openSimulationStore(state.storage)
      const rows = () => {
        const tables = state.storage.sql
          .exec("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_cf%' ESCAPE '\\'")
          .toArray()
          .map(({ name }) => String(name))
          .filter((name) => name !== 'applied_migrations' && !name.startsWith('sqlite_'))
        return Object.fromEntries(
          tables.map((name) => [name, state.storage.sql.exec(`SELECT count(*) AS n FROM ${name}`).one().n]),
        )
      }
      keepTicket(store, await drawTicket(), 1_000)
      const run = openSimulationRun(store, quiet, 1_000)
      run.create({ ...configuration, mode: 'external' }, 1_000)
      openExternalSession(store, run, quiet).packets(batchOf(1, 3), 2_000)
      state.storage.sql.exec('INSERT INTO forgotten VALUES (1, 1, 0)')
      store.writeScenario({})
      store.writeAnswers({ name: 'kim', answers: ['x'] }, 1)
      expect(store.writeAnswers({ name: 'lee', answers: ['x'] }, 1)).toBe(false)
      run.command({ kind: 'load', scale: 1.1 })
      run.field({ open: 'RTU-1' }, undefined, 0)
      doAtOnce(run.stepBy(1))
      run.save()
      const before = rows()
      expect(Object.entries(before).filter(([, count]) => count === 0)).toEqual([])
      run.create(configuration, 3_000)
      const emptied = Object.fromEntries(Object.keys(before).map((name) => [name, 0]))
      expect(rows()).toEqual({ ...emptied, session: 1, ticket: 1 })
    }))

  it('publishes what the clock makes due and nothing of what it only computes again', () =>
    inside('publish', async (state) => {
      const store = openSimulationStore(state.storage)
      let published = 0
      const count = () => {
        published += 1
      }
      const run = openSimulationRun(store, count, 1_000)
      run.create(configuration, 1_000)
      run.setRun('running', 1_000)
      await run.advance(4_000)
      expect([published, run.world().step]).toEqual([30, 30])
      openSimulationRun(store, count, 5_000)
      expect(published).toBe(30)
    }))

  it('jumps over a distance too long and marks it, where the clock is the wall', () =>
    inside('jump', async (state) => {
      const run = openSimulationRun(openSimulationStore(state.storage), quiet, 0)
      run.create({ ...configuration, start_time: null }, 0)
      run.setRun('running', 10_000)
      await run.advance(11_000)
      const before = run.world().step
      await run.advance(11_000 + catchUpSteps * 100 + 5_000)
      await run.advance(11_000 + catchUpSteps * 100 + 6_000)
      expect(run.world().step - before).toBeLessThan(20)
      const gaps = listRing(run.records().incidents).filter(({ protocol }) => protocol === 'SIM')
      expect(gaps).toHaveLength(1)
      expect(run.commands().map(({ kind }) => kind)).toEqual(['clock', 'clock'])
    }))

  it('pauses in time though it jumps, and does not jump after a stop', () =>
    inside('late', async (state) => {
      const run = openSimulationRun(openSimulationStore(state.storage), quiet, 0)
      run.create({ ...configuration, start_time: null, auto_pause_s: 120 }, 0)
      run.setRun('running', 10_000)
      await run.advance(10_000 + catchUpSteps * 100 + 5_000)
      expect(run.commands()).toHaveLength(2)
      expect(run.session().activeMs).toBe(10_000)
      run.pauseIfUnwatched(130_000)
      expect(run.session().run).toBe('paused')
      await run.advance(900_000)
      expect(run.commands()).toHaveLength(2)
    }))

  it('writes one row in an ordinary second, and bounded rows with each snapshot', () =>
    inside('budget', (state) => {
      const store = openSimulationStore(state.storage)
      const run = openSimulationRun(store, quiet, 0)
      run.create(configuration, 0)
      run.setRun('running', 0)
      const written = () => Number(state.storage.sql.exec('SELECT total_changes() AS n').one().n)
      const perSecond: number[] = []
      for (let second = 1; second <= 30; second++) {
        const before = written()
        run.advanceNow(second * 1_000)
        perSecond.push(written() - before)
      }
      const ordinary = perSecond.filter((_, index) => (index + 1) % 10 !== 0)
      expect(Math.max(...ordinary)).toBeLessThanOrEqual(1)
      expect(Math.max(...perSecond)).toBeLessThanOrEqual(6)
    }))

  it('keeps worlds and records that are larger than a row', () =>
    inside('large', (state) => {
      const store = openSimulationStore(state.storage)
      const run = openSimulationRun(store, quiet, 0)
      run.create({ ...configuration, case: 'case118', pmu_rate: 30 }, 0)
      const order = {
        attack_id: 'REPLAY-1',
        type: 'REPLAY',
        params: { buffer_size: 300, refresh_timestamps: false },
        schedule: { start_frame: 0, duration_frames: 0 },
        target_link: null,
        seed: 1,
      }
      run.command({ kind: 'enable', order })
      doAtOnce(run.stepBy(110))
      const parts = state.storage.sql.exec('SELECT count(*) AS n FROM world').one().n
      expect(Number(parts)).toBeGreaterThan(1)
      const again = openSimulationRun(store, quiet, 0)
      expect(JSON.stringify(again.world()) === JSON.stringify(run.world())).toBe(true)
      expect(again.records().incidents.pushed).toBe(run.records().incidents.pushed)
      const largest = state.storage.sql.exec('SELECT max(length(body)) AS n FROM chunk').one().n
      expect(Number(largest)).toBeLessThan(1_000_000)
    }))

  it('numbers incidents and frames on from where it was, though the oldest are forgotten', () =>
    inside('numbers', (state) => {
      const store = openSimulationStore(state.storage)
      const run = openSimulationRun(store, quiet, 0)
      run.create({ ...configuration, mode: 'external' }, 0)
      const feed = openExternalSession(store, run, quiet)
      for (let seq = 1; seq <= 26; seq++) feed.packets(batchOf(seq, 500, 200), 0)
      expect(run.records().incidents.pushed).toBe(13_000)
      const kept = state.storage.sql.exec('SELECT min(number) AS first, sum(frames) AS frames FROM chunk').one()
      expect(Number(kept.first)).toBeGreaterThan(1)
      expect(Number(kept.frames)).toBeLessThan(run.records().frames.pushed)
      const again = openSimulationRun(openSimulationStore(state.storage), quiet, 1_000)
      expect(again.records().incidents.pushed).toBe(13_000)
      expect(again.records().frames.pushed).toBe(run.records().frames.pushed)
      const numbersOf = (records: Records) => capturedFrames(records).map(({ frameNo }) => frameNo)
      expect(numbersOf(again.records())).toEqual(numbersOf(run.records()))
      feed.packets(batchOf(27, 500), 0)
      const last = openSimulationRun(openSimulationStore(state.storage), quiet, 3_000)
      expect(last.records().incidents.pushed).toBe(13_500)
      last.create(configuration, 4_000)
      const reset = openSimulationRun(openSimulationStore(state.storage), quiet, 5_000)
      expect(reset.records().incidents.pushed).toBe(0)
    }))

  it('keeps no row of which every record is forgotten, frames or none', () =>
    inside('frameless', (state) => {
      const store = openSimulationStore(state.storage)
      const run = openSimulationRun(store, quiet, 0)
      run.create({ ...configuration, mode: 'external' }, 0)
      const feed = openExternalSession(store, run, quiet)
      const rows = () => Number(state.storage.sql.exec('SELECT count(*) AS n FROM chunk').one().n)
      feed.packets(batchOf(1, 1, 1), 0)
      for (let seq = 2; seq <= 40; seq++) feed.packets(batchOf(seq, 500), 0)
      // Twenty batches of incidents, and the first for its frame.
      expect(rows()).toBe(21)
      const again = openSimulationRun(openSimulationStore(state.storage), quiet, 1_000)
      expect(listRing(again.records().incidents)).toEqual(listRing(run.records().incidents))
      expect(capturedFrames(again.records())).toHaveLength(1)
    }))

  it('takes no order beyond its log, but wakes, pauses and stops', () =>
    inside('full', (state) => {
      const store = openSimulationStore(state.storage)
      store.writeSession(newRow)
      state.storage.sql.exec(
        `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${maximumCommands})
         INSERT INTO command SELECT i, 0, '{"kind":"load","scale":1,"step":0}' FROM n`,
      )
      const run = openSimulationRun(store, quiet, 0)
      expect(run.commands()).toHaveLength(maximumCommands)
      run.setRun('running', 1_000)
      run.setRun('paused', 2_000)
      run.wake(3_000)
      expect(run.session().run).toBe('running')
      expect(() => run.command({ kind: 'load', scale: 1 })).toThrow(/holds 10000 commands already/)
      expect(enableAttack(run, { type: 'NOISE', params: {} })).toMatchObject({
        success: false,
        error: expect.stringContaining('holds 10000 commands already'),
        hint: 'Start a new session: POST /api/v1/sim/reset',
      })
      expect(run.command({ kind: 'disable', attackIds: [] }).kind).toBe('disable')
    }))

  it('is not started and stopped in turn without bound', async () => {
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

  it('is not brought back by requests that were on their way while it was deleted', async () => {
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

  it('shows no record that could not be written', () =>
    inside('unwritten', (state) => {
      const store = openSimulationStore(state.storage)
      const run = openSimulationRun(store, quiet, 0)
      run.create(configuration, 0)
      state.storage.sql.exec('DROP TABLE chunk')
      const records = { incidents: [incident], packets: [], frames: [] }
      expect(() => run.append(records, doAtOnce(splitRecords(records)))).toThrow(/chunk/)
      expect(run.records().incidents.pushed).toBe(0)
    }))

  it('sets the clock of a session that was stopped before it ever ran', () =>
    inside('stopped', (state) => {
      const run = openSimulationRun(openSimulationStore(state.storage), quiet, 0)
      run.create({ ...configuration, start_time: null }, 0)
      run.setRun('stopped', 0)
      doAtOnce(run.stepBy(2))
      expect(listRing(run.records().incidents)[0]?.timestamp).toBeGreaterThan(1_700_000_000)
    }))

  it('ends steps by hand when another session begins or the clock starts between two of them', () =>
    inside('interrupted', (state) => {
      const run = openSimulationRun(openSimulationStore(state.storage), quiet, 0)
      run.create(configuration, 0)
      const first = run.stepBy(20)
      first.next()
      run.create(configuration, 0)
      expect([first.next().done, run.world().step]).toEqual([true, 0])
      const second = run.stepBy(20)
      second.next()
      const { step } = run.world()
      run.setRun('running', 0)
      expect([second.next().done, run.world().step]).toEqual([true, step])
    }))

  it('keeps only the chunks that retention needs', () =>
    inside('chunks', (state) => {
      const store = openSimulationStore(state.storage)
      const packet = {
        timestamp: 0,
        protocol: '',
        status: 'clean',
        attack: '',
        src: '',
        dst: '',
        len: 0,
        forwarded: true,
        latency_ms: 0,
        frame_no: 0,
      } as const
      const frame = {
        frameNo: 1,
        timeUs: 1,
        bytes: new Uint8Array(100),
        protocol: '',
        status: 'clean',
        src: '',
        dst: '',
        flow: '',
        payloadLength: 0,
        latencyMs: 0,
        tap: 'after',
        label: null,
      } as const
      for (let turn = 0; turn < 40; turn++) {
        const records = {
          incidents: Array.from({ length: 700 }, () => incident),
          packets: Array.from({ length: 700 }, () => packet),
          frames: Array.from({ length: 700 }, () => frame),
        }
        store.appendChunks(doAtOnce(splitRecords(records)))
      }
      const kept = [...store.readChunks()]
      const total = kept.reduce((sum, { frames }) => sum + frames.length, 0)
      expect(total).toBeGreaterThanOrEqual(20_000)
      expect(total).toBeLessThan(20_000 + 2 * 700)
    }))
})

describe('takeTicket()', () => {
  it('takes a ticket once and not after its time', () =>
    inside('tickets', (state) => {
      const store = openSimulationStore(state.storage)
      store.writeTicket('a', 100)
      store.writeTicket('b', 100)
      expect([store.takeTicket('a', 50), store.takeTicket('a', 50)]).toEqual([true, false])
      expect([store.takeTicket('b', 101), store.takeTicket('c', 50)]).toEqual([false, false])
    }))
})

describe('keepTicket()', () => {
  it('gives a thousand and then none, until one is used or they expire', () =>
    inside('tickets', async (state) => {
      const store = openSimulationStore(state.storage)
      const drawn = await drawTicket()
      expect(keepTicket(store, drawn, Date.now())).toEqual({ ticket: drawn.ticket, expires_in: 60 })
      for (let count = 1; count < 1_000; count++) {
        keepTicket(store, { ticket: '', hash: String(count) }, Date.now())
      }
      const late = { ticket: '', hash: 'late' }
      expect(() => keepTicket(store, late, Date.now())).toThrow(/1000 wait to be used already/)
      expect(await takeTicket(store, drawn.ticket)).toBe(true)
      expect(await takeTicket(store, drawn.ticket)).toBe(false)
      keepTicket(store, late, Date.now())
      expect(() => keepTicket(store, { ticket: '', hash: 'later' }, Date.now())).toThrow()
      keepTicket(store, { ticket: '', hash: 'much later' }, Date.now() + 61_000)
      expect(store.countTickets(Date.now())).toBe(1)
    }))
})
