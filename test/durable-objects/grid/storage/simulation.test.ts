/** The store of a simulation: what a session writes, what another leaves of it, and what retention keeps. */

import { describe, expect, it } from 'vitest'
import { listRing } from '#base/ring.ts'
import { doAtOnce } from '#base/slices.ts'
import { emptyExternal } from '#grid/interface/external.ts'
import { capturedFrames, type Records } from '#grid/records/records.ts'
import { drawTicket } from '#objects/base/tickets.ts'
import { ingestPackets } from '#objects/grid/simulation/external-ingest.ts'
import { keepTicket } from '#objects/grid/simulation/tickets.ts'
import { splitRecords } from '#objects/grid/storage/record-chunks.ts'
import { openSimulationStore } from '#objects/grid/storage/simulation.ts'
import { batchOf, configuration, inside, openSimulationRun, quiet } from '../simulation/simulation-run.ts'

const incident = { id: '', timestamp: 0, timestamp_iso: '', protocol: 'X', attack_type: '', status: 'clean' } as const

describe('openSimulationStore()', () => {
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
      ingestPackets({ store, session: run, publish: quiet, state: emptyExternal }, batchOf(1, 3), 2_000)
      state.storage.sql.exec('INSERT INTO forgotten VALUES (1, 1, 0)')
      store.writeScenario({})
      store.writeAnswers({ name: 'kim', answers: ['x'] }, 1)
      expect(store.writeAnswers({ name: 'lee', answers: ['x'] }, 1)).toBe(false)
      run.command({ kind: 'load', scale: 1.1 })
      run.field({ event: { open: 'RTU-1' }, sinceUs: 0 })
      doAtOnce(run.stepBy(1))
      run.save()
      const before = rows()
      expect(Object.entries(before).filter(([, count]) => count === 0)).toEqual([])
      run.create(configuration, 3_000)
      const emptied = Object.fromEntries(Object.keys(before).map((name) => [name, 0]))
      expect(rows()).toEqual({ ...emptied, session: 1, ticket: 1 })
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
      const feed = { store, session: run, publish: quiet, state: emptyExternal }
      for (let seq = 1; seq <= 26; seq++) ingestPackets(feed, batchOf(seq, 500, 200), 0)
      expect(run.records().incidents.pushed).toBe(13_000)
      const kept = state.storage.sql.exec('SELECT min(number) AS first, sum(frames) AS frames FROM chunk').one()
      expect(Number(kept.first)).toBeGreaterThan(1)
      expect(Number(kept.frames)).toBeLessThan(run.records().frames.pushed)
      const again = openSimulationRun(openSimulationStore(state.storage), quiet, 1_000)
      expect(again.records().incidents.pushed).toBe(13_000)
      expect(again.records().frames.pushed).toBe(run.records().frames.pushed)
      const numbersOf = (records: Records) => capturedFrames(records).map(({ frameNo }) => frameNo)
      expect(numbersOf(again.records())).toEqual(numbersOf(run.records()))
      ingestPackets(feed, batchOf(27, 500), 0)
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
      const feed = { store, session: run, publish: quiet, state: emptyExternal }
      const rows = () => Number(state.storage.sql.exec('SELECT count(*) AS n FROM chunk').one().n)
      ingestPackets(feed, batchOf(1, 1, 1), 0)
      for (let seq = 2; seq <= 40; seq++) ingestPackets(feed, batchOf(seq, 500), 0)
      // Twenty batches of incidents, and the first for its frame.
      expect(rows()).toBe(21)
      const again = openSimulationRun(openSimulationStore(state.storage), quiet, 1_000)
      expect(listRing(again.records().incidents)).toEqual(listRing(run.records().incidents))
      expect(capturedFrames(again.records())).toHaveLength(1)
    }))

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
