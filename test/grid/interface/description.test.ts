/** The description of a simulation: its fields in both modes, its lag, its lists and their warnings. */

import { describe, expect, it } from 'vitest'
import { doAtOnce } from '#base/slices.ts'
import { attacks } from '#grid/attacks/catalogue.ts'
import {
  describeSimulation,
  listIncidents,
  listPackets,
  measureSimulation,
  showAttacks,
  showCatalog,
  showGrid,
  showStudy,
  showTopology,
} from '#grid/interface/description.ts'
import { withOrder } from '#grid/interface/external.ts'
import { parseTopology } from '#grid/interface/ingest-requests.ts'
import type { SessionView } from '#grid/interface/session-view.ts'
import { runStudy } from '#grid/interface/studies.ts'
import { describeTopology } from '#grid/interface/topology.ts'
import { enable, startTime, startWorld } from '../../support/grid-session.ts'
import { sessionView } from '../../support/grid-session-view.ts'

const service = { subscribers: 3, subscribersCutOff: 1, syslog: undefined }
const nowMs = 1_012_900

/** Two scans, so that there is an estimate. */
const computed = sessionView(45, { configuration: { iec61850: 2 } })

/** The same session, fed from outside. */
const fed = sessionView(0, {
  configuration: { mode: 'external' },
  external: { status: { running: true, interval_s: 10, uptime_s: 7, integrations: { scada: true }, atMs: 1_000_000 } },
})

const textOf = (pieces: Iterable<string>) => JSON.parse([...pieces].join(''))

describe('describeSimulation()', () => {
  it('has the run state, the retained records, and the lifetime counts', () => {
    const { records, world, session } = computed
    expect(describeSimulation(computed, service, nowMs)).toEqual({
      sim_running: false,
      session_id: 'session-1',
      uptime_s: 12,
      total_incidents: records.incidents.items.length,
      attacked: 0,
      integrations: { pcap: true, syslog: false, rest_api: true },
      run: 'stopped',
      mode: 'embedded',
      case: session.configuration.case,
      seed: session.configuration.seed,
      speed: 2,
      tick: 45,
      sim_time: startTime + 4.5,
      subscribers: 3,
      subscribers_cut_off: 1,
      lifetime: { incidents: records.incidents.pushed, frames: records.frames.pushed, ...world.totals },
      retention: { incidents: 10_000, packets: 1_000 },
      grid: expect.objectContaining({ frequency_hz: expect.closeTo(60, 1), alarms: 0 }),
    })
  })

  it.each([
    ['new', false],
    ['running', true],
    ['paused', false],
    ['stopped', false],
  ] as const)('of a session that is %s has sim_running %s', (run, expected) => {
    const view = { ...computed, session: { ...computed.session, run } }
    expect(describeSimulation(view, service, nowMs).sim_running).toBe(expected)
  })

  it('of an outside simulator follows its heartbeats, and has its integrations instead of the grid', () => {
    const told = describeSimulation(fed, service, 1_030_000)
    expect(told).toMatchObject({
      sim_running: true,
      mode: 'external',
      integrations: { pcap: false, scada: true, syslog: false, rest_api: true },
      external: { heard: true, heard_at: 1_000, uptime_s: 7 },
    })
    expect('grid' in told).toBe(false)
    expect(describeSimulation(fed, service, 1_030_001).sim_running).toBe(false)
  })

  it('does not take from an outside simulator that the interface is off', () => {
    const integrations = { rest_api: false, syslog: true, pcap: true }
    const status = { running: true, interval_s: 10, integrations, atMs: 0 }
    const view = { ...fed, external: { ...fed.external, status } }
    expect(describeSimulation(view, service, 0).integrations).toEqual({ pcap: true, syslog: true, rest_api: true })
  })

  it('has the syslog collector where one is set', () => {
    const syslog = { sent: 4 } as unknown as NonNullable<Parameters<typeof measureSimulation>[1]['syslog']>
    const told = describeSimulation(computed, { ...service, syslog }, nowMs)
    expect(told).toMatchObject({ syslog, integrations: { syslog: true } })
    expect('syslog' in describeSimulation(computed, service, nowMs)).toBe(false)
  })
})

describe('measureSimulation()', () => {
  const counts = { incidents: {}, alarms: {}, exports: {} } as unknown as Parameters<typeof measureSimulation>[2]

  it('owes the steps that are due by the clock, in simulated seconds, only while it runs', () => {
    const running = { ...computed, session: { ...computed.session, run: 'running' as const } }
    const lag = (view: SessionView, ms: number) => measureSimulation(view, service, counts, ms).lagSeconds
    // Twice as fast as the clock: after 3 s sixty steps are due.
    expect(lag(running, 2_003_000)).toBe(6)
    expect(lag(running, 1_000_000)).toBe(0)
    expect(lag(computed, 2_003_000)).toBe(0)
  })

  it('passes on the counts, the service and the numbers of the session', () => {
    const measured = measureSimulation(computed, service, counts, nowMs)
    const { records } = computed
    expect(measured).toEqual({
      run: 'stopped',
      steps: 45,
      frames: records.frames.pushed,
      lagSeconds: 0,
      attacks: 0,
      ...counts,
      ...service,
    })
  })
})

describe('showTopology(), showAttacks()', () => {
  it('show our own devices and attacks', () => {
    const view = sessionView(0)
    enable(view.world, 'DROP')
    expect(showTopology(view, 'full')).toEqual(describeTopology(view.world))
    expect(showAttacks(view)).toMatchObject({ type: 'DROP', active: [{ attack_id: 'DROP-1' }] })
    expect(measureSimulation(view, service, {} as never, 0).attacks).toBe(1)
  })

  it('show what an outside simulator sent, and the orders that were passed on to it', () => {
    const topology = parseTopology({ nodes: [{ id: 'plc', node_type: 'PLC' }], links: [] })
    expect(showTopology(fed, 'full')).toEqual({})
    expect(showTopology({ ...fed, external: { ...fed.external, topology } }, 'full')).toBe(topology)
    const schedule = { start_frame: 0, duration_frames: 0 }
    const { state } = withOrder(fed.external, 'LAB', { params: { x: 1 }, schedule }, 5_000)
    expect(showAttacks({ ...fed, external: state })).toMatchObject({ type: 'LAB', since: 5 })
  })
})

describe('showCatalog()', () => {
  it('has the defaults of the table in case14, for which they were chosen', () => {
    const table = attacks.map(({ type, params }) => ({ type, params }))
    const { attacks: shown } = showCatalog({ world: startWorld({ iec61850: 2 }) })
    expect(JSON.parse(JSON.stringify(shown))).toMatchObject(table)
    const bare = showCatalog({ world: startWorld() }).attacks.map(({ type }) => type)
    expect(bare).toEqual(attacks.filter(({ needs }) => needs === undefined).map(({ type }) => type))
  })

  it('has, in another network, defaults that exist there', () => {
    const { attacks: shown } = JSON.parse(
      JSON.stringify(showCatalog({ world: startWorld({ case: 'case9', iec61850: 1 }) })),
    )
    expect(shown).toHaveLength(attacks.length)
    expect(shown).toContainEqual(
      expect.objectContaining({
        type: 'FDI_STEALTH',
        params: expect.objectContaining({ bus: expect.objectContaining({ type: 'integer', default: 9 }) }),
      }),
    )
    expect(shown).toContainEqual(
      expect.objectContaining({
        type: 'GOOSE_TRIP_SPOOF',
        params: expect.objectContaining({ breaker: expect.objectContaining({ default: 'CB-1-4' }) }),
      }),
    )
  })

  it('lists every attack with its parameters, and none of its functions', () => {
    const { attacks: shown } = JSON.parse(JSON.stringify(showCatalog(computed)))
    expect(shown.map(({ type }: { readonly type: string }) => type)).toEqual(attacks.map(({ type }) => type))
    for (const one of shown) {
      const names = Object.keys(one)
      expect(names).toEqual(expect.arrayContaining(['name', 'params', 'severity', 'gridEffect']))
      expect(names.filter((name) => ['alter', 'forge', 'links', 'defaults', 'needs'].includes(name))).toEqual([])
    }
  })
})

describe('showGrid(), showStudy()', () => {
  it('show the true state beside what arrived', () => {
    const { plant, view } = computed.world
    expect(showGrid(computed, 'full')).toEqual({
      truth: expect.objectContaining({ vm_pu: plant.solution.vmPu, va_rad: plant.solution.vaRad, open_breakers: 0 }),
      measured: { values: view.values, closed: view.closed },
      estimate: view.estimate,
      alarms: view.alarms,
      alarm_count: view.alarmCount,
      limit_alarms: [],
      limit_alarms_suppressed: 0,
    })
  })

  it('run a study of the grid as it is', () => {
    const request = { kind: 'contingency', method: 'dc', limit: 3 } as const
    expect(doAtOnce(showStudy(computed, request))).toEqual(doAtOnce(runStudy(computed.world, request)))
  })

  it.each([
    ['show the grid', () => showGrid(fed, 'full')],
    ['run a study', () => doAtOnce(showStudy(fed, { kind: 'dc-estimation' }))],
  ])('refuse to %s of an outside simulator', (action, show) => {
    expect(show).toThrow(
      expect.objectContaining({
        code: 'out_of_order',
        message: `Cannot ${action}: an outside simulator drives this session`,
      }),
    )
  })
})

describe('listIncidents(), listPackets()', () => {
  const { records } = computed

  it('give the newest records with their counts, as one JSON document', () => {
    const listed = textOf(listIncidents(records, { limit: 2, proto: 'modbus' }))
    const all = computed.stretch.incidents.filter(({ protocol }) => protocol === 'Modbus')
    expect(Object.keys(listed)).toEqual(['count', 'total', 'incidents'])
    expect(listed).toEqual({ count: 2, total: all.length, incidents: all.slice(-2) })
    const packets = textOf(listPackets(records, 3))
    expect(Object.keys(packets)).toEqual(['count', 'total', 'packets'])
    expect(packets.packets).toEqual(computed.stretch.outputs.flatMap((output) => output.packets).slice(-3))
  })

  it('warn of what was ignored and of protocols that do not exist', () => {
    const query = { limit: 1, proto: 'modbuss', warnings: ['limit was ignored'] }
    expect(textOf(listIncidents(records, query))).toEqual({
      count: 0,
      total: 0,
      warnings: ['limit was ignored', 'Unknown protocol "modbuss", did you mean "Modbus"?'],
      incidents: [],
    })
    expect(textOf(listPackets(records, 1, ['x'])).warnings).toEqual(['x'])
  })
})
