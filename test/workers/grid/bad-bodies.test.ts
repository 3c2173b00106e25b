/** Edited bodies on every route that takes one: only documented statuses, an Error for each refusal, nothing by half. */

import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Route, routes } from '#workers/grid/routes.ts'
import { type RunningBundle, startBundle } from '../../support/bundle.ts'
import { editedJson, editedOctets } from '../../support/edited-bodies.ts'
import { createSimulations } from '../../support/grid-service.ts'
import { sweep } from '../../support/sweep.ts'

const token = 'f'.repeat(32)
const bearer = { authorization: `Bearer ${token}` }

/** Bodies whose shape the test itself checks. */
// biome-ignore lint/suspicious/noExplicitAny: what the service answers is what is under test
type Body = any

let bundle: RunningBundle
let url: string

beforeAll(async () => {
  bundle = await startBundle({ worker: 'grid', rebuild: true, vars: { GRID_TOKEN: token } })
  url = bundle.url
})

afterAll(() => bundle?.stop())

/** Simulations that exist already. */
const created = new Set<string>()

/** Sends a body, with a length or in chunks; a status that the table of routes does not know fails. */
async function send(
  name: string,
  path: string,
  body: Uint8Array,
  { isChunked = false } = {},
): Promise<{ status: number; body: Body }> {
  if (!created.has(name)) await createSimulations(url, [name], token)
  created.add(name)
  const response = await fetch(`${url}/simulations/${name}/api/v1${path}`, {
    method: 'POST',
    headers: bearer,
    body: isChunked ? new Blob([Uint8Array.from(body)]).stream() : Uint8Array.from(body),
    ...({ duplex: 'half' } as object), // Node asks for it with streams; its types do not know it
  })
  const route = (routes as readonly Route[]).find((one) => one.method === 'POST' && one.path === path)
  expect([200, ...(route?.statuses ?? [])]).toContain(response.status)
  const answer: Body = await response.json()
  if (response.status !== 200) expect(answer).toMatchObject({ error: expect.stringMatching(/\S/) })
  return { status: response.status, body: answer }
}

async function read(name: string, path: string): Promise<string> {
  const response = await fetch(`${url}/simulations/${name}/api/v1${path}`, { headers: bearer })
  return response.text()
}

/** Everything that ingestion can change, as text; numbers of the clock left out. */
async function shown(name: string): Promise<string> {
  const paths = ['/incidents?limit=0', '/packets/recent?limit=0', '/topology', '/attacks/current']
  const exports = ['/export/csv', '/export/labels', '/export/pcap', '/export/stix', '/export/session']
  const texts = await Promise.all([...paths, ...exports].map((path) => read(name, path)))
  const { total_incidents, attacked, lifetime, external } = JSON.parse(await read(name, '/simulation'))
  return JSON.stringify([texts, total_incidents, attacked, lifetime, external])
}

const text = (value: unknown) => new TextEncoder().encode(JSON.stringify(value))

async function feedable(name: string): Promise<void> {
  await send(name, '/sim/config', text({ mode: 'external' }))
}

/** A frame that a session of our own has sent, in base64, and the whole capture around it. */
async function capture(path: '/export/pcap' | '/export/pcapng'): Promise<Uint8Array> {
  await send('donor', '/sim/stop', text({}))
  await send('donor', '/sim/step', text({ steps: 10 }))
  const response = await fetch(`${url}/simulations/donor/api/v1${path}`, { headers: bearer })
  return new Uint8Array(await response.arrayBuffer())
}

describe('POST /ingest/packets', () => {
  it('records what it accepts, once, and nothing of what it refuses', async () => {
    await feedable('packets')
    const pcap = await capture('/export/pcap')
    const length = new DataView(pcap.buffer, pcap.byteOffset).getUint32(24 + 8, true)
    const frame = Buffer.from(pcap.subarray(40, 40 + length)).toString('base64')
    const packet = (raw_b64: string, status: string) => ({
      timestamp: 1_764_000_000.25,
      protocol: 'DNP3',
      status,
      attack_type: 'LAB',
      src: '192.0.2.1:20000',
      dst: '192.0.2.2:4000',
      raw_b64,
      original_val: { a: [1, { b: '=2' }] },
      modified_val: {},
      description: 'from the lab',
    })
    const packets = [packet(frame, 'attacked'), packet('AA==', 'clean'), packet('', 'forward_error')]
    let seq = 0
    let total = 0
    const counts = async () => JSON.parse(await read('packets', '/simulation')).lifetime.incidents
    await fc.assert(
      fc.asyncProperty(editedJson(packets), fc.boolean(), async (edited, isChunked) => {
        const body = Buffer.concat([Buffer.from(`{"source":"lab","seq":${++seq},"packets":`), edited, Buffer.from('}')])
        const answer = await send('packets', '/ingest/packets', body, { isChunked })
        if (answer.status === 200) {
          total += answer.body.accepted
          expect(answer.body.rejected.length + answer.body.accepted).toBeGreaterThan(0)
          expect((await send('packets', '/ingest/packets', body)).body).toEqual(answer.body)
        }
        expect(await counts()).toBe(total)
      }),
      { seed: 41, numRuns: sweep(250, 100) },
    )
    expect(total).toBeGreaterThan(20)
    // What is shown is what is stored: the same after the process has gone.
    const before = await shown('packets')
    url = await bundle.restart({ GRID_TOKEN: token })
    expect(await shown('packets')).toBe(before)
    expect(JSON.parse(await read('packets', '/export/stix')).type).toBe('bundle')
  })

  it('takes a source of any text and distinguishes sources', async () => {
    await feedable('sources')
    const packet = { timestamp: 1, protocol: 'X', status: 'clean' }
    for (const source of ['a', 'A', '\u0000', '\u0000a', 'ü', '\u0075\u0308']) {
      const answer = await send('sources', '/ingest/packets', text({ source, seq: 0, packets: [packet] }))
      expect(answer.body).toEqual({ accepted: 1, rejected: [] })
    }
    expect(JSON.parse(await read('sources', '/simulation')).total_incidents).toBe(6)
  })
})

describe('POST /ingest/pcap', () => {
  it.each(['/export/pcap', '/export/pcapng'] as const)(
    'takes a whole file like that of %s, or nothing of it',
    async (path) => {
      const name = path.slice('/export/'.length)
      await feedable(name)
      const whole = await capture(path)
      const short = whole.subarray(0, 2_500)
      let total = 0
      await fc.assert(
        fc.asyncProperty(
          fc.oneof(editedOctets(whole), editedOctets(short), fc.uint8Array({ maxLength: 200 })),
          fc.boolean(),
          async (file, isChunked) => {
            const answer = await send(name, '/ingest/pcap', file, { isChunked })
            if (answer.status === 200) total += answer.body.accepted
            expect(JSON.parse(await read(name, '/simulation')).lifetime.frames).toBe(total)
          },
        ),
        { seed: 42, numRuns: 60 },
      )
      expect(total).toBeGreaterThan(20)
      const before = await shown(name)
      url = await bundle.restart({ GRID_TOKEN: token })
      expect(await shown(name)).toBe(before)
    },
  )

  it('reads no more of a file without a length than it may take', async () => {
    await feedable('endless')
    let sent = 0
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += 65_536
        controller.enqueue(new Uint8Array(65_536))
        if (sent > 64 * 1024 * 1024) controller.close()
      },
    })
    const outcome = await fetch(`${url}/simulations/endless/api/v1/ingest/pcap`, {
      method: 'POST',
      headers: bearer,
      body: endless,
      ...({ duplex: 'half' } as object), // Node asks for it with streams; its types do not know it
    }).then(
      (response) => response.status,
      () => 'closed on the sender',
    )
    // The service stops reading; what its sender sees of that depends on how far it has come.
    expect([413, 502, 'closed on the sender']).toContain(outcome)
    expect(sent).toBeLessThan(64 * 1024 * 1024)
    expect(JSON.parse(await read('endless', '/simulation')).lifetime.frames).toBe(0)
  })
})

describe('POST /ingest/topology and /ingest/status', () => {
  it('replace what was known by what was sent whole, or change nothing', async () => {
    await feedable('told')
    const topology = {
      nodes: [
        { id: 'a', node_type: 'PMU', x: 1.5, vendor: { year: 1999 } },
        { id: 'b', node_type: 'PDC', level: 2 },
      ],
      links: [{ src_id: 'a', dst_id: 'b', protocol: 'DNP3', threat_agent_ids: ['b'] }],
      simulation: { type: 'NONE' },
    }
    const status = { running: true, uptime_s: 5.5, integrations: { syslog: true }, interval_s: 9 }
    const answers = new Set<string>()
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.tuple(fc.constant('/ingest/topology'), editedJson(topology)),
          fc.tuple(fc.constant('/ingest/status'), editedJson(status)),
        ),
        async ([path, body]) => {
          const before = await shown('told')
          const answer = await send('told', path, body)
          answers.add(`${path} ${answer.status}`)
          const after = await shown('told')
          if (answer.status !== 200) expect(after).toBe(before)
          if (answer.status === 200 && path === '/ingest/topology') {
            const { nodes, links } = JSON.parse(await read('told', '/topology'))
            expect(answer.body).toEqual({ nodes: nodes.length, links: links.length })
            const ids = new Set(nodes.map(({ id }: Body) => id))
            expect(links.every(({ src_id, dst_id }: Body) => ids.has(src_id) && ids.has(dst_id))).toBe(true)
          }
        },
      ),
      { seed: 43, numRuns: 100 },
    )
    expect([...answers].sort()).toEqual([
      '/ingest/status 200',
      '/ingest/status 400',
      '/ingest/topology 200',
      '/ingest/topology 400',
    ])
    // The last word is kept as it is after any first one: each of the two writes what it changes.
    const last = { ...topology, format: 'said last' }
    for (const [path, body] of [
      ['/ingest/status', status],
      ['/ingest/topology', last],
    ] as const) {
      await send('told', path, text(body))
      const before = await shown('told')
      url = await bundle.restart({ GRID_TOKEN: token })
      expect(await shown('told')).toBe(before)
    }
    expect(JSON.parse(await read('told', '/topology'))).toMatchObject(last)
  })

  it.each(['NaN', '1e999', '-1e999'])('refuse %s at any place', async (number) => {
    await feedable('numbers')
    const bodies = [
      ['/ingest/topology', `{"nodes":[{"id":"a","node_type":"PMU","x":${number}}],"links":[]}`],
      ['/ingest/topology', `{"nodes":[{"id":"a","node_type":"PMU","rating":${number}}],"links":[]}`],
      ['/ingest/topology', `{"nodes":[],"links":[],"deep":{"list":[${number}]}}`],
      ['/ingest/status', `{"running":true,"uptime_s":${number}}`],
    ] as const
    for (const [path, body] of bodies) {
      expect((await send('numbers', path, Buffer.from(body))).status).toBe(400)
    }
    expect(JSON.parse(await read('numbers', '/topology'))).toEqual({})
  })
})

describe('orders', () => {
  it.each([
    ['/attack/enable', { type: 'NOISE', params: { noise_std: 2 }, schedule: { start_frame: 1 }, seed: 5 }],
    ['/attack/disable', { type: 'NOISE', attack_id: 'NOISE-1' }],
    ['/sim/config', { case: 'case9', seed: 7, start_time: 1_764_000_000, load_scale: 1.1 }],
    ['/sim/speed', { speed: 2 }],
    ['/sim/step', { steps: 2 }],
    ['/sim/reset', {}],
    ['/grid/breaker', { breaker: 'CB-1-2', closed: false }],
    ['/grid/load', { scale: 1.1 }],
    ['/grid/join', { breaker: 'CB-1-2', closing: 'forced' }],
    ['/grid/generator', { bus: 2, connected: false, p_mw: 50, v_pu: 1.02 }],
    ['/grid/restore', { bus: 9, share: 0.5 }],
    ['/grid/tap', { breaker: 'CB-4-9', position: -2 }],
    ['/grid/fault', { breaker: 'CB-2-3', seconds: 0.5 }],
    ['/grid/acknowledge', { numbers: [1, 2] }],
  ])('%s answers any body with a status that is documented', async (path, whole) => {
    const name = `orders${path.replaceAll('/', '-')}`
    await send(name, '/sim/stop', text({}))
    await fc.assert(
      fc.asyncProperty(editedJson(whole), async (body) => {
        const answer = await send(name, path, body)
        if (path === '/attack/disable') expect(answer.body.success).toBe(true)
        if (path === '/attack/enable' && answer.status === 200) {
          const { success, errors } = answer.body
          expect(success === true || errors.length > 0).toBe(true)
        }
      }),
      { seed: 44, numRuns: sweep(40, 15) },
    )
    // After any order, the session answers and goes on.
    await send(name, '/sim/stop', text({}))
    expect((await send(name, '/sim/step', text({ steps: 1 }))).status).toBe(200)
  })
})
