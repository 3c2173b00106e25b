/** A session that is fed from outside: ingestion, and the feed of commands. */

import { describe, expect, it } from 'vitest'
import { readEvents } from '#base/event-stream.ts'
import { maximumActive } from '#grid/interface/external.ts'
import { type Body, bearer, namedSimulations, patience } from '../../support/named-simulations.ts'

const { ask, bundle, create } = namedSimulations()

describe('ingestion', () => {
  const packet = (over: Record<string, unknown> = {}) => ({
    timestamp: 1_764_000_000.5,
    protocol: 'DNP3',
    status: 'attacked',
    attack_type: 'LAB',
    src: '192.0.2.1:20000',
    dst: '192.0.2.2:4000',
    raw_b64: 'BWQFAA==',
    original_val: { a: 1 },
    ...over,
  })

  it('is refused while the engine here drives the session', async () => {
    const answer = await ask('own', '/ingest/packets', { source: 'lab', seq: 1, packets: [packet()] })
    expect(answer.status).toBe(409)
    expect(answer.body.hint).toContain('"mode": "external"')
  })

  it('makes incidents and packets like our own; a batch counts once', async () => {
    await ask('lab', '/sim/config', { mode: 'external' })
    const batch = {
      source: 'lab',
      seq: 1,
      packets: [packet(), packet({ status: 'forward_error' }), packet({ status: 'odd' }), packet({ timestamp: 'x' })],
    }
    const first = await ask('lab', '/ingest/packets', batch)
    expect(first.body).toEqual({ accepted: 3, rejected: [{ index: 3, error: expect.stringContaining('timestamp') }] })
    expect((await ask('lab', '/ingest/packets', batch)).body).toEqual(first.body)
    const { incidents } = (await ask('lab', '/incidents')).body
    expect(incidents.map(({ status }: Body) => status)).toEqual(['attacked', 'dropped', 'invalid'])
    expect(incidents[0]).toMatchObject({ src_ip: '192.0.2.1', src_port: 20000, attack_type: 'LAB', severity: 'HIGH' })
    const { packets } = (await ask('lab', '/packets/recent')).body
    expect(packets.map(({ len, forwarded }: Body) => [len, forwarded])).toEqual([
      [4, true],
      [4, false],
      [4, true],
    ])
    expect((await ask('lab', '/simulation')).body).toMatchObject({ total_incidents: 3, attacked: 1 })
  })

  it.each([
    ['no packets', { source: 'lab', seq: 2, packets: [] }],
    ['too many packets', { source: 'lab', seq: 2, packets: Array(501).fill({}) }],
    ['no number', { source: 'lab', packets: [{}] }],
    [
      'times in the future',
      { source: 'lab', seq: 2, packets: [{ timestamp: 4_000_000_000, protocol: 'X', status: 'clean' }] },
    ],
  ])('refuses a batch with %s whole', async (_, body) => {
    await ask('lab2', '/sim/config', { mode: 'external' })
    expect((await ask('lab2', '/ingest/packets', body)).status).toBe(400)
    expect((await ask('lab2', '/incidents')).body.total).toBe(0)
  })

  it.each([
    ['/grid/breaker', { breaker: 'CB-1-2', closed: false }],
    ['/grid/load', { scale: 1.1 }],
    ['/sim/speed', { speed: 2 }],
    ['/sim/step', { steps: 1 }],
    ['/sim/start', {}],
    ['/sim/stop', {}],
    ['/grid/view', undefined],
  ])('lets the engine here rest: %s is 409', async (path, body) => {
    await ask('rest', '/sim/config', { mode: 'external' })
    const answer = await ask('rest', path, body)
    expect(answer.status).toBe(409)
    expect(answer.body.error).toMatch(/^Cannot .*: an outside simulator drives this session$/)
    expect((await ask('rest', '/export/session')).body.commands).toEqual([])
  })

  it('replaces the topology, and refuses one with a link that leads nowhere', async () => {
    await ask('topo', '/sim/config', { mode: 'external' })
    expect((await ask('topo', '/topology')).body).toEqual({})
    const nodes = [
      { id: 'a', node_type: 'PMU' },
      { id: 'b', node_type: 'PDC' },
    ]
    expect((await ask('topo', '/ingest/topology', { nodes, links: [{ src_id: 'a', dst_id: 'z' }] })).status).toBe(400)
    expect((await ask('topo', '/ingest/topology', { nodes, links: [{ src_id: 'a', dst_id: 'b' }] })).status).toBe(200)
    const { links } = (await ask('topo', '/topology')).body
    expect(links).toMatchObject([{ src_id: 'a', dst_id: 'b', protocol: 'C37.118', threat_agent_ids: [] }])
  })

  it('counts as running for three intervals after a heartbeat', async () => {
    await ask('beat', '/sim/config', { mode: 'external' })
    expect((await ask('beat', '/simulation')).body.sim_running).toBe(false)
    await ask('beat', '/ingest/status', {
      running: true,
      interval_s: 1,
      integrations: { syslog: true, rest_api: false },
    })
    const heard = (await ask('beat', '/simulation')).body
    expect(heard.sim_running).toBe(true)
    // Every flag that the interface names, those that the outside simulator leaves out too.
    expect(heard.integrations).toEqual({ pcap: false, rest_api: true, syslog: true })
    const isRunning = async () => (await ask('beat', '/simulation')).body.sim_running
    await expect.poll(isRunning, patience).toBe(false)
  })

  it('takes a capture that it exported itself, and nothing of one that is cut short', async () => {
    await ask('donor', '/sim/stop', {})
    await ask('donor', '/sim/step', { steps: 30 })
    const capture = await fetch(`${bundle.url}/simulations/donor/api/v1/export/pcap`, { headers: bearer })
    const bytes = await capture.arrayBuffer()
    await ask('taker', '/sim/config', { mode: 'external' })
    const upload = (body: ArrayBuffer) =>
      fetch(`${bundle.url}/simulations/taker/api/v1/ingest/pcap`, { method: 'POST', headers: bearer, body })
    expect((await upload(bytes.slice(0, -7))).status).toBe(400)
    expect((await ask('taker', '/packets/recent')).body.total).toBe(0)
    const accepted = (await (await upload(bytes)).json()) as Body
    expect(accepted.accepted).toBeGreaterThan(100)
    const again = await fetch(`${bundle.url}/simulations/taker/api/v1/export/pcap`, { headers: bearer })
    expect(Buffer.from(await again.arrayBuffer()).equals(Buffer.from(bytes))).toBe(true)
    const protocols = (await ask('taker', '/incidents?limit=0')).body.incidents.map(({ protocol }: Body) => protocol)
    expect([...new Set(protocols)].sort()).toEqual(['C37.118', 'DNP3', 'GOOSE', 'IEC104', 'Modbus'])
  })
})

describe('the command feed', () => {
  it('is the hook: without a listener nothing is enabled, with one the listener is called', async () => {
    await ask('hook', '/sim/config', { mode: 'external' })
    expect((await ask('hook', '/attack/enable', { type: 'LAB_ATTACK', params: { x: 1 } })).body).toMatchObject({
      success: false,
      error: 'No attack hook is connected',
    })
    expect((await ask('hook', '/attack/disable', {})).body.success).toBe(true)
    const feed = await fetch(`${bundle.url}/simulations/hook/api/v1/ingest/commands`, { headers: bearer })
    const events = readEvents(feed.body)
    const enabled = await ask('hook', '/attack/enable', { type: 'LAB_ATTACK', params: { x: 1 } })
    expect(enabled.body).toMatchObject({ success: true, attack_id: 'LAB_ATTACK-1' })
    const told = await events.next()
    expect(told.value?.event).toBe('command')
    expect(JSON.parse(told.value?.data ?? '')).toMatchObject({
      command: 'enable',
      type: 'LAB_ATTACK',
      params: { x: 1 },
    })
    expect((await ask('hook', '/attacks/current')).body.active).toHaveLength(1)
    await ask('hook', '/attack/disable', {})
    expect(JSON.parse((await events.next()).value?.data ?? '')).toEqual({
      command: 'disable',
      attack_ids: ['LAB_ATTACK-1'],
    })
    await events.return(undefined)
  })

  it.each(['/ingest/commands', '/events'])('is not reached by HEAD of %s, which opens no stream', async (path) => {
    const name = `head${path.replaceAll('/', '-')}`
    await create(name)
    const url = `${bundle.url}/simulations/${name}/api/v1`
    const head = await fetch(`${url}${path}`, { method: 'HEAD', headers: bearer })
    expect([head.status, head.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8'])
    // A stream that is opened wakes the simulation; this one has never been asked.
    expect(await (await fetch(`${url}/status`)).json()).toMatchObject({ run: 'new', subscribers: 0 })
    await ask(name, '/sim/config', { mode: 'external' })
    expect((await ask(name, '/attack/enable', { type: 'X', params: {} })).body.success).toBe(false)
  })

  it('passes on so many attacks at a time and no more, each type once', async () => {
    await ask('many', '/sim/config', { mode: 'external' })
    const url = `${bundle.url}/simulations/many/api/v1/ingest/commands`
    const feed = await fetch(url, { headers: bearer })
    const enable = async (type: string) => (await ask('many', '/attack/enable', { type, params: {} })).body
    for (let index = 1; index <= maximumActive; index++) {
      expect((await enable(`LAB_${index}`)).success).toBe(true)
    }
    expect(await enable('LAB_0')).toMatchObject({ success: false, error: '16 attacks are active already' })
    expect((await enable('LAB_1')).success).toBe(true)
    await ask('many', '/attack/disable', { type: 'LAB_2' })
    expect((await enable('LAB_0')).success).toBe(true)
    expect((await ask('many', '/attacks/current')).body.active).toHaveLength(maximumActive)
    await feed.body?.cancel()
  })
})
