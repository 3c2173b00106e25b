/** The event stream on a real socket: what it carries, when, for whom, and what it does to readers that do not read. */

import { createConnection } from 'node:net'
import { beforeAll, describe, expect, it } from 'vitest'
import { type IncomingEvent, readEvents } from '#base/event-stream.ts'
import { startBundle } from '../../support/bundle.ts'
import { createSimulations } from '../../support/grid-service.ts'
import { host } from '../../support/host.ts'
import { once } from '../../support/wait.ts'

const token = 'c'.repeat(32)
const bearer = { authorization: `Bearer ${token}` }

const bundle = host(() => startBundle({ worker: 'grid', rebuild: true, vars: { GRID_TOKEN: token } }))

beforeAll(async () => {
  const names = ['again', 'gone', 'live', 'quiet', 'slow', 'ticket', 'topics', 'diagram']
  await createSimulations(bundle.url, names, token)
})

const at = (name: string) => `${bundle.url}/simulations/${name}/api/v1`

function post(name: string, path: string, body?: unknown): Promise<Response> {
  return fetch(`${at(name)}${path}`, {
    method: 'POST',
    headers: bearer,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
}

async function collect(response: Response, count: number): Promise<IncomingEvent[]> {
  const events: IncomingEvent[] = []
  for await (const event of readEvents(response.body)) {
    events.push(event)
    if (events.length === count) break
  }
  return events
}

describe('GET /events', () => {
  // The one promise about time that a test keeps: another program may hold both cores for a while, so it has three tries.
  const tries = { retry: 2 }
  it('shows incidents within two seconds of the enable request, only attacked and dropped ones', tries, async () => {
    const stream = await fetch(`${at('live')}/events`, { headers: bearer })
    const started = Date.now()
    await post('live', '/attack/enable', { type: 'DROP', params: { drop_percent: 50 } })
    await post('live', '/attack/enable', { type: 'SCALE', params: {} })
    await post('live', '/attack/enable', { type: 'MALFORMED', params: { rate_percent: 100 } })
    const reading = collect(stream, 30)
    const first = await Promise.race([
      fetch(`${at('live')}/events`, { headers: bearer }).then((other) => collect(other, 1)),
      new Promise<never>((_, reject) => setTimeout(() => reject(new Error('no incident within two seconds')), 2000)),
    ])
    expect(Date.now() - started).toBeLessThan(2000)
    expect(first[0]?.event).toBe('incident')
    const events = await reading
    const statuses = new Set(events.map(({ data }) => JSON.parse(data).status))
    expect(statuses).toEqual(new Set(['attacked', 'dropped']))
    expect(new Set(events.map(({ event }) => event))).toEqual(new Set(['incident']))
    expect(new Set(events.map(({ lastEventId }) => lastEventId))).toEqual(new Set(['']))
  })

  it('sends its first bytes at once and replays no history', async () => {
    await post('quiet', '/sim/stop')
    await post('quiet', '/attack/enable', { type: 'NOISE', params: {} })
    await post('quiet', '/sim/step', { steps: 20 })
    const stream = await fetch(`${at('quiet')}/events`, { headers: bearer })
    const reader = stream.body?.getReader()
    const opening = new TextDecoder().decode((await reader?.read())?.value)
    expect(opening).toBe(': stream of simulation quiet\n\nretry: 3000\n\n')
    await reader?.cancel()
  })

  it('gives identifiers on request, and missed events on reconnection', async () => {
    await post('again', '/sim/stop')
    await post('again', '/attack/enable', { type: 'NOISE', params: {} })
    const stream = await fetch(`${at('again')}/events?ids=1`, { headers: bearer })
    await post('again', '/sim/step', { steps: 6 })
    const seen = await collect(stream, 4)
    const lastEventId = seen.at(-1)?.lastEventId ?? ''
    expect(lastEventId).toMatch(/^[0-9a-f]{8}-\d+$/)
    await post('again', '/sim/step', { steps: 4 })
    const later = await fetch(`${at('again')}/events?ids=1`, { headers: { ...bearer, 'last-event-id': lastEventId } })
    const missed = await collect(later, 8)
    const numbers = [...seen, ...missed].map((event) => Number(event.lastEventId.split('-')[1]))
    expect(numbers).toEqual([...numbers].sort((a, b) => a - b))
    expect(new Set(numbers).size).toBe(numbers.length)
  })

  it('carries further topics only on request', async () => {
    const stream = await fetch(`${at('topics')}/events?topics=grid,attack`, { headers: bearer })
    await post('topics', '/attack/enable', { type: 'NOISE', params: {} })
    const events = await collect(stream, 3)
    expect(events[0]?.event).toBe('attack')
    expect(new Set(events.slice(1).map(({ event }) => event))).toEqual(new Set(['grid']))
  })

  it('begins the topic diagram with the whole diagram, and then sends only changes', async () => {
    await post('diagram', '/sim/stop')
    await post('diagram', '/sim/step', { steps: 50 })
    const stream = await fetch(`${at('diagram')}/events?topics=diagram`, { headers: bearer })
    const reading = collect(stream, 2)
    await post('diagram', '/grid/breaker', { breaker: 'CB-2-3', closed: false })
    await post('diagram', '/sim/step', { steps: 30 })
    const [first, second] = (await reading).map(({ data }) => JSON.parse(data))
    expect([first.complete, first.true.closed['3'], first.tick]).toEqual([true, true, 50])
    expect([second.complete, second.true.closed, second.measured.closed]).toEqual([false, { 3: false }, { 3: false }])
    expect(JSON.stringify(second).length).toBeLessThan(JSON.stringify(first).length)
  })

  it('sends the whole diagram of a session that takes the place of another', async () => {
    const stream = await fetch(`${at('diagram')}/events?topics=diagram`, { headers: bearer })
    await post('diagram', '/sim/config', { case: 'case9' })
    // The first session may send steps, which are not complete, before it ends.
    const whole = []
    for await (const { data } of readEvents(stream.body)) {
      const diagram = JSON.parse(data)
      if (diagram.complete) whole.push(Object.keys(diagram.true.vm_pu).length)
      if (whole.length === 2) break
    }
    expect(whole).toEqual([14, 9])
    await post('diagram', '/sim/stop')
  })

  it('lets a browser in with a ticket, once', async () => {
    const { ticket, expires_in } = (await (await post('ticket', '/events/ticket')).json()) as {
      ticket: string
      expires_in: number
    }
    expect([ticket.length, expires_in]).toEqual([32, 60])
    const first = await fetch(`${at('ticket')}/events?ticket=${ticket}`)
    expect(first.status).toBe(200)
    await first.body?.cancel()
    expect((await fetch(`${at('ticket')}/events?ticket=${ticket}`)).status).toBe(401)
    expect((await fetch(`${at('ticket')}/simulation?ticket=${ticket}`)).status).toBe(401)
  })

  it('never blocks another request', async () => {
    const streams = await Promise.all(
      Array.from({ length: 20 }, () => fetch(`${at('live')}/events`, { headers: bearer })),
    )
    expect((await fetch(`${at('live')}/simulation`, { headers: bearer })).status).toBe(200)
    await Promise.all(streams.map((stream) => stream.body?.cancel()))
  })

  it('cuts a reader off that does not read, and the others go on', async () => {
    await post('slow', '/sim/stop')
    await post('slow', '/sim/config', { pmu_rate: 30, case: 'case118', auto_pause_s: 0 })
    await post('slow', '/sim/stop')
    await post('slow', '/attack/enable', { type: 'SCALE', params: {} })
    const { port, hostname } = new URL(bundle.url)
    const socket = createConnection({ port: Number(port), host: hostname })
    await once(socket, 'connect')
    socket.pause()
    socket.write(
      `GET /simulations/slow/api/v1/events HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${token}\r\n\r\n`,
    )
    const reading = fetch(`${at('slow')}/events`, { headers: bearer })
    const stream = await reading
    let heard = 0
    const healthy = (async () => {
      for await (const event of readEvents(stream.body)) heard += event.event === 'incident' ? 1 : 0
    })().catch(() => undefined)
    interface State {
      readonly subscribers: number
      readonly subscribers_cut_off: number
    }
    // A machine that is busy for seconds lets a connection age between the front and the runtime: ask again then.
    const state = async (): Promise<State> => {
      const answer = await fetch(`${at('slow')}/simulation`, { headers: bearer })
      return answer.status === 502 ? state() : ((await answer.json()) as State)
    }
    await post('slow', '/sim/start')
    await expect.poll(async () => (await state()).subscribers_cut_off).toBe(1)
    expect((await state()).subscribers).toBe(1)
    const before = heard
    await expect.poll(() => heard).toBeGreaterThan(before)
    await post('slow', '/sim/stop')
    socket.destroy()
    await stream.body?.cancel().catch(() => undefined)
    void healthy
  })

  it('frees the place of a reader that vanished', async () => {
    await post('gone', '/attack/enable', { type: 'NOISE', params: {} })
    const stream = await fetch(`${at('gone')}/events`, { headers: bearer })
    await collect(stream, 2)
    const subscribers = async () => {
      const answer = await fetch(`${at('gone')}/simulation`, { headers: bearer })
      return ((await answer.json()) as { subscribers: number }).subscribers
    }
    await expect.poll(subscribers).toBe(0)
  })
})

describe('relays', () => {
  it('carry the same events, and identifiers too', async () => {
    const other = await startBundle({ worker: 'grid', vars: { GRID_TOKEN: token, GRID_RELAYS: '2' } })
    try {
      const base = `${other.url}/api/v1`
      const streams = await Promise.all([1, 2, 3].map(() => fetch(`${base}/events?ids=1`, { headers: bearer })))
      await fetch(`${base}/attack/enable`, { method: 'POST', headers: bearer, body: '{"type":"NOISE"}' })
      const heard = await Promise.all(streams.map((stream) => collect(stream, 3)))
      const ids = heard.map((events) => events.map(({ lastEventId }) => lastEventId))
      expect(ids[1]).toEqual(ids[0])
      expect(ids[2]).toEqual(ids[0])
      const drawn = await fetch(`${base}/events?topics=diagram`, { headers: bearer })
      for await (const { data } of readEvents(drawn.body)) if (JSON.parse(data).complete) break
    } finally {
      await other.stop()
    }
  })
})
