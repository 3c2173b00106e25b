/** Beside the contract: the clock, sessions by name, operators, ingestion, the command feed, the description. */

import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { readEvents } from '#base/event-stream.ts'
import { maximumActive } from '#grid/interface/external.ts'
import { type Route, routes } from '#workers/grid/routes.ts'
import { startBundle } from '../../support/bundle.ts'
import { createSimulations } from '../../support/grid-service.ts'
import { host } from '../../support/host.ts'

const token = 'e'.repeat(32)
const bearer = { authorization: `Bearer ${token}` }

/** Bodies whose shape the test itself checks. */
// biome-ignore lint/suspicious/noExplicitAny: what the service answers is what is under test
type Body = any

/** Long enough for a machine that is busy with something else; nothing here waits longer than it must. */
const patience = { interval: 100 }

const bundle = host(() => startBundle({ worker: 'grid', rebuild: true, vars: { GRID_TOKEN: token } }))

/** Simulations that exist already. */
const created = new Set<string>()

async function ask(name: string, path: string, body?: unknown): Promise<{ status: number; body: Body }> {
  const init =
    body === undefined ? {} : { method: 'POST', body: typeof body === 'string' ? body : JSON.stringify(body) }
  if (!created.has(name)) await createSimulations(bundle.url, [name], token)
  created.add(name)
  const response = await fetch(`${bundle.url}/simulations/${name}/api/v1${path}`, { headers: bearer, ...init })
  return { status: response.status, body: await response.json() }
}

describe('simulations by name', () => {
  it('are apart from each other and from the default one', async () => {
    await ask('one', '/sim/config', { case: 'case9', seed: 4 })
    await ask('two', '/sim/config', { case: 'case39' })
    const cases = await Promise.all(['one', 'two'].map(async (name) => (await ask(name, '/simulation')).body.case))
    const first = await fetch(`${bundle.url}/api/v1/simulation`, { headers: bearer })
    expect([...cases, ((await first.json()) as Body).case]).toEqual(['case9', 'case39', 'case14'])
  })

  it.each(['Upper', 'a..b', '-a', 'x'.repeat(70), 'a%2Fb'])('cannot be called %s', async (name) => {
    expect((await fetch(`${bundle.url}/simulations/${name}/api/v1/status`)).status).toBe(404)
  })
})

describe('the clock', () => {
  it('starts with the first request that has a token, and status reports it', async () => {
    await createSimulations(bundle.url, ['wake'], token)
    const status = async () => (await (await fetch(`${bundle.url}/simulations/wake/api/v1/status`)).json()) as Body
    expect((await status()).sim_running).toBe(false)
    await ask('wake', '/simulation')
    expect((await status()).sim_running).toBe(true)
    await ask('wake', '/sim/stop', {})
    expect((await status()).sim_running).toBe(false)
    await ask('wake', '/simulation')
    expect((await status()).sim_running).toBe(false)
  })

  it('pauses without a listener and wakes with the next request, with the pause marked', async () => {
    await ask('pause', '/sim/config', { auto_pause_s: 1 })
    await ask('pause', '/simulation')
    // The status has no token, so asking for it does not keep the simulation awake.
    const status = async () => (await fetch(`${bundle.url}/simulations/pause/api/v1/status`)).json()
    await expect.poll(status, patience).toMatchObject({ sim_running: false, run: 'paused' })
    // A pause shorter than a step leaves no mark.
    await sleep(1_000)
    const marks = async () => (await ask('pause', '/incidents?limit=0&proto=SIM')).body.incidents
    await expect
      .poll(async () => (await marks())[0], patience)
      .toMatchObject({ status: 'clean', description: expect.stringMatching(/^Paused from /) })
  })

  it('steps while stopped, refuses to while it runs, and runs at the given speed', async () => {
    await ask('steps', '/sim/stop', {})
    expect((await ask('steps', '/sim/step', { steps: 25 })).body.tick).toBe(25)
    expect((await ask('steps', '/sim/start', {})).body.sim_running).toBe(true)
    expect((await ask('steps', '/sim/step', { steps: 1 })).status).toBe(409)
    await ask('steps', '/sim/speed', { speed: 20 })
    const tick = async () => (await ask('steps', '/simulation')).body.tick
    await expect.poll(tick, patience).toBeGreaterThan(200)
  })

  it.each([
    ['/sim/speed', { speed: 0 }],
    ['/sim/speed', { speed: 'fast' }],
    ['/sim/step', { steps: 601 }],
    ['/sim/config', { case: 'case15' }],
    ['/sim/config', { sed: 1 }],
    ['/sim/config', { pmu_rate: 7 }],
    ['/sim/config', '[1]'],
    ['/sim/config', '{'],
    ['/grid/breaker', { breaker: 'CB-9-9', closed: false }],
    ['/grid/load', { scale: 9 }],
    ['/sim/reset', { seed: 9 }],
    ['/sim/reset', '{'],
  ])('answers %s with %j by 400 and a sentence', async (path, body) => {
    await ask('bad', '/sim/stop', {})
    const answer = await ask('bad', path, body)
    expect(answer.status).toBe(400)
    expect(answer.body.error).toMatch(/^Cannot /)
  })

  it('lets an operator switch and scale', async () => {
    await ask('operator', '/sim/stop', {})
    await ask('operator', '/grid/breaker', { breaker: 'CB-1-5', closed: false })
    await ask('operator', '/grid/load', { scale: 0.9 })
    await ask('operator', '/sim/step', { steps: 20 })
    const { grid } = (await ask('operator', '/topology')).body
    expect(grid.breakers.find(({ id }: Body) => id === 'CB-1-5').state).toBe('open')
    const { truth, estimate } = (await ask('operator', '/grid/view')).body
    expect(truth.load_mw).toBeLessThan(240)
    expect(estimate === null || estimate.objective > 0).toBe(true)
  })

  it('lets an operator end a blackout: refused, black start, machines, load', async () => {
    const at = (path: string, body: object) => ask('blackout', path, body)
    await at('/sim/config', { load_noise: 0, load_speed: 0 })
    await at('/sim/stop', {})
    const wait = (steps: number) => at('/sim/step', { steps })
    const served = async () => (await ask('blackout', '/grid/view')).body.truth.served_mw
    for (const bus of [1, 2, 3]) await at('/grid/generator', { bus, connected: false })
    await wait(20)
    expect(await served()).toBe(0)
    const refused = [
      ['/grid/generator', { bus: 3, connected: true }],
      ['/grid/restore', {}],
      ['/grid/generator', { bus: 1, p_mw: 9999 }],
    ] as const
    for (const [path, body] of refused) {
      const { status, body: answer } = await at(path, body)
      expect([status, answer.error]).toEqual([409, expect.stringMatching(/^Cannot .*: /)])
    }
    expect((await at('/grid/generator', { bus: 4, connected: true })).status).toBe(400)
    expect((await at('/grid/generator', { bus: 1, connected: true })).status).toBe(200)
    await wait(100)
    for (const bus of [2, 3]) expect((await at('/grid/generator', { bus, connected: true })).status).toBe(200)
    for (let part = 0; part < 5; part++) {
      await at('/grid/restore', { share: 0.2 })
      await wait(300)
    }
    const { truth } = (await ask('blackout', '/grid/view')).body
    expect(truth.served_mw).toBeCloseTo(truth.load_mw, 1)
  })

  it('moves the tap of a transformer by order, refuses a line, and shows the position to every right', async () => {
    const at = (path: string, body?: object) => ask('taps', path, body)
    await at('/sim/config', { load_noise: 0, load_speed: 0 })
    await at('/sim/stop', {})
    const voltage = async () => (await at('/topology')).body.grid.buses[8].vm_pu
    const before = await voltage()
    expect((await at('/grid/tap', { breaker: 'CB-4-9', position: -4 })).body).toMatchObject({
      kind: 'tap',
      position: -4,
    })
    await at('/sim/step', { steps: 1 })
    expect(await voltage()).toBeGreaterThan(before + 0.004)
    const taps = (await at('/topology')).body.grid.branches.filter((branch: Body) => branch.tap !== undefined)
    expect(taps.map(({ name, tap }: Body) => [name, tap])).toEqual([
      ['4-7', 0],
      ['4-9', -4],
      ['5-6', 0],
    ])
    const line = await at('/grid/tap', { breaker: 'CB-1-2', position: 1 })
    const tapped = 'CB-4-7, CB-4-9, CB-5-6'
    const reason = `CB-1-2 has no transformer with a tap; those of ${tapped} have one`
    expect([line.status, line.body.error]).toEqual([409, `Cannot move a tap: ${reason}`])
    expect((await at('/grid/tap', { breaker: 'CB-4-99', position: 1 })).body.hint).toContain('Did you mean "CB-4-9"?')
  })

  it('joins two islands in synchronism only, and says by how much they are out of step', async () => {
    const at = (path: string, body: object) => ask('islands', path, body)
    await at('/sim/config', { load_noise: 0, load_speed: 0, load_scale: 0.5, pickup: 'off' })
    await at('/sim/stop', {})
    for (const breaker of ['CB-1-2', 'CB-2-3', 'CB-2-4', 'CB-2-5'])
      await at('/grid/breaker', { breaker, closed: false })
    await at('/sim/step', { steps: 30 })
    const refused = await at('/grid/breaker', { breaker: 'CB-1-2', closed: true })
    expect(refused.status).toBe(409)
    expect(refused.body.error).toMatch(
      /^Cannot switch a breaker: the sides differ by .* deg, .* Hz and .* pu, expected/,
    )
    expect((await at('/grid/join', { breaker: 'CB-1-2' })).body).toMatchObject({ closing: 'synchronized' })
    await at('/sim/step', { steps: 600 })
    await at('/sim/step', { steps: 600 })
    const { grid } = (await ask('islands', '/topology')).body
    expect(grid.breakers.find(({ id }: Body) => id === 'CB-1-2').state).toBe('closed')
  })
})

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
    await createSimulations(bundle.url, [name], token)
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

describe('GET /openapi.json', () => {
  it('describes exactly the routes there are, and every one of them answers', async () => {
    const { openapi, paths, servers, components } = (await ask('api', '/openapi.json')).body
    expect(openapi).toBe('3.1.0')
    expect(servers).toEqual([{ url: '/simulations/api/api/v1' }])
    const described = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods as object)
        .filter((method) => method !== 'options')
        .map((method) => `${method.toUpperCase()} ${path}`),
    )
    const below = (routes as readonly Route[]).filter(({ isGlobal }) => !isGlobal)
    expect(described.sort()).toEqual(
      below.map(({ method, path }) => `${method} ${path.replace(/:(\w+)/, '{$1}')}`).sort(),
    )
    const references = [...JSON.stringify(paths).matchAll(/#\/components\/schemas\/(\w+)/g)].map(([, name]) => name)
    expect(references.filter((name) => !Object.hasOwn(components.schemas, name ?? ''))).toEqual([])
    for (const { method, path } of below) {
      const response = await fetch(`${bundle.url}/simulations/api/api/v1${path}`, { method, headers: bearer })
      expect([path, response.status === 405 || (response.status === 404 && !/pcap|labels|score/.test(path))]).toEqual([
        path,
        false,
      ])
      await response.body?.cancel()
    }
  })
})
