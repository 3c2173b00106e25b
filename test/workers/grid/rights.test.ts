/**
 * Rights to a simulation: two with one seed, of which one is attacked in a way that changes no received value, answer a
 * trainee alike on every route, method, query and topic.
 */

import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type IncomingEvent, readEvents } from '#base/event-stream.ts'
import { topics } from '#grid/records/broadcast.ts'
import { covers, type Right } from '#grid/rights.ts'
import { type Route, routes } from '#workers/grid/routes.ts'
import { type RunningBundle, startBundle } from '../../support/bundle.ts'
import { createSimulations, type GridClient, gridClient, gridToken } from '../../support/grid-service.ts'

const simulations = ['drill-a', 'drill-b'] as const
type Name = (typeof simulations)[number]

const tokenOf = (right: Right, name: Name) => `${right}-of-${name}-0123456789`

const roles = simulations.flatMap((simulation) =>
  (['viewer', 'trainee', 'trainer'] as const).map((right) => {
    const token = tokenOf(right, simulation)
    const secret = right === 'viewer' ? { sha256: createHash('sha256').update(token).digest('hex') } : { token }
    return { name: `${right}-${simulation}`, ...secret, simulation, right }
  }),
)
const vars = { GRID_TOKEN: gridToken, GRID_ROLES: JSON.stringify(roles) }

let bundle: RunningBundle
let trainers: Readonly<Record<Name, GridClient>>

beforeAll(async () => {
  bundle = await startBundle({ worker: 'grid', rebuild: true, vars })
  await createSimulations(bundle.url, simulations)
  const clientOf = (name: Name) => gridClient(bundle.url, name, tokenOf('trainer', name))
  trainers = { 'drill-a': clientOf('drill-a'), 'drill-b': clientOf('drill-b') }
  for (const name of simulations) await trainers[name].standAt(30)
  expect((await trainers['drill-b'].enable('DELAY', { delay_ms: 0 })).success).toBe(true)
  for (const name of simulations) await trainers[name].step(60)
})

afterAll(() => bundle?.stop())

/** One request of the walk. */
interface Visit {
  readonly method: string
  readonly path: string
  readonly body?: string
}

function ask(right: Right | undefined, name: Name, { method, path, body }: Visit, more = {}): Promise<Response> {
  const headers = right === undefined ? more : { authorization: `Bearer ${tokenOf(right, name)}`, ...more }
  const target = `${bundle.url}/simulations/${name}/api/v1${path}`
  return fetch(target, { method, headers, ...(body === undefined ? {} : { body }) })
}

/** The status and the text of an answer, without ids, the wall clock and the name of the simulation. */
async function read(response: Response, name: Name): Promise<string> {
  const reader = response.body?.getReader()
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true
  let text = ''
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined }
    // As latin-1, so that different octets are different characters.
    text += value === undefined ? '' : Buffer.from(value).toString('latin1')
    if (done || isStream) break
  }
  await reader?.cancel()
  const plain = text
    .replaceAll(name, 'NAME')
    .replace(/"(?:session_id|ticket)": "[^"]*"|"(?:uptime_s|timestamp)": [\d.]+/g, 'ID')
  return `${response.status} ${response.headers.get('content-type')} ${plain}`
}

const bodies = ['not json', '{}', '{"breaker":"CB-2-3","closed":false}', '{"breaker":"CB-2-3","closed":true}']
const orders = ['{"breaker":"CB-2-3"}', '{"bus":2,"connected":true}', '{"bus":9,"share":0.5}', '{"scale":1}']

function visitsOf({ method, path, query = {} }: Route): readonly Visit[] {
  const at = path.replace(/:\w+/, 'NAME')
  if (method !== 'GET') return [...bodies, ...orders].map((body) => ({ method, path: at, body }))
  const values = ['', '1', 'before', 'after', 'extended', ...topics]
  const queries = Object.keys(query).flatMap((name) => values.map((value) => `?${name}=${value}`))
  const paths = ['', ...queries, '?topics=alarm,incident', '?tap=after&tap=before&tap='].map((text) => `${at}${text}`)
  return [...paths.map((one) => ({ method, path: one })), { method: 'HEAD', path: at }]
}

const table = (routes as readonly Route[]).map((route) => ({ ...route, key: `${route.method} ${route.path}` }))
const visibleRights = ['viewer', 'trainee'] as const

describe('the walk', () => {
  it('begins with two simulations that differ for a trainer', async () => {
    const attackedOf = async (name: Name) => Number((await trainers[name].simulation()).attacked)
    expect(await attackedOf('drill-a')).toBe(0)
    expect(await attackedOf('drill-b')).toBeGreaterThan(0)
  })

  it.each(visibleRights.flatMap((caller) => table.map((route) => ({ ...route, caller }))))(
    'gives a $caller the same answers from both simulations: $key',
    async ({ caller, ...route }) => {
      let reached = 0
      for (const visit of visitsOf(route)) {
        const answers: string[] = []
        for (const name of simulations) answers.push(await read(await ask(caller, name, visit), name))
        expect(answers[1], JSON.stringify(visit)).toBe(answers[0])
        if (!answers[0]?.startsWith('403')) reached += 1
      }
      if (covers(caller, route.right)) expect(reached).toBeGreaterThan(0)
      else expect(reached).toBe(0)
    },
  )

  it('refuses a trainee by one fixed answer, also on paths and methods that do not exist', async () => {
    const visits = [
      ...table.filter(({ right }) => !covers('trainee', right)).flatMap((route) => visitsOf(route)),
      { method: 'GET', path: '/nothing' },
      { method: 'PUT', path: '/simulation' },
      { method: 'GET', path: '/export/pcap?tap=before' },
      { method: 'GET', path: '/export/pcap?incident=00000000' },
      { method: 'GET', path: '/events?topics=incident' },
    ].filter(({ method }) => method !== 'HEAD')
    const answers = new Set<string>()
    for (const visit of visits) answers.add(await read(await ask('trainee', 'drill-b', visit), 'drill-b'))
    expect([...answers]).toEqual([expect.stringMatching(/^403 .*"error": "Forbidden"/s)])
  })
})

describe('a token of GRID_ROLES', () => {
  it('is unknown to every other simulation, and to what is about all of them', async () => {
    for (const right of ['viewer', 'trainee', 'trainer'] as const) {
      const headers = { authorization: `Bearer ${tokenOf(right, 'drill-b')}` }
      const statusOf = async (path: string) => (await fetch(`${bundle.url}${path}`, { headers })).status
      expect(await statusOf('/simulations/drill-a/api/v1/simulation')).toBe(401)
      expect(await statusOf('/api/v1/simulations')).toBe(401)
      expect(await statusOf('/api/v1/metrics')).toBe(401)
      expect(await statusOf('/simulations/nowhere/api/v1/simulation')).toBe(401)
    }
  })

  it('of a trainer has every route of its simulation', async () => {
    for (const { right, isGlobal, key } of table) {
      if (right === 'operator') expect(isGlobal, key).toBe(true)
    }
    expect((await trainers['drill-b'].get('/export/session')).status).toBe(200)
    expect((await trainers['drill-b'].get('/export/pcap?tap=before')).status).toBe(200)
  })

  it('hides seed, counts and grid from the public status of its simulation only', async () => {
    const statusOf = async (base: string, headers = {}): Promise<Record<string, unknown>> =>
      (await fetch(`${bundle.url}${base}/api/v1/status`, { headers })).json()
    const hidden = ['seed', 'attacked', 'total_incidents', 'lifetime', 'grid']
    const exercise = await statusOf('/simulations/drill-b')
    expect(Object.keys(exercise).filter((name) => hidden.includes(name))).toEqual([])
    expect(exercise).toMatchObject({ sim_running: false, auth: true, tick: 90 })
    const full = await statusOf('', {})
    expect(Object.keys(full)).toEqual(expect.arrayContaining(hidden))
    const trainer = { authorization: `Bearer ${tokenOf('trainer', 'drill-b')}` }
    expect(Object.keys(await statusOf('/simulations/drill-b', trainer))).toEqual(expect.arrayContaining(hidden))
  })

  it('gives its right to a ticket', async () => {
    const ticketOf = async (right: Right) => {
      const response = await ask(right, 'drill-b', { method: 'POST', path: '/events/ticket' })
      return ((await response.json()) as { ticket: string }).ticket
    }
    const open = async (ticket: string, topic: string) => {
      const visit = { method: 'GET', path: `/events?ticket=${ticket}&topics=${topic}` }
      const response = await ask(undefined, 'drill-b', visit)
      await response.body?.cancel()
      return response.status
    }
    expect(await open(await ticketOf('trainee'), 'incident')).toBe(403)
    expect(await open(await ticketOf('trainee'), 'alarm')).toBe(200)
    expect(await open(await ticketOf('trainer'), 'incident')).toBe(200)
    expect(await open((await ticketOf('trainee')).replace('trainee', 'trainer'), 'incident')).toBe(401)
  })
})

describe.each(['0', '1'])('the event stream of a trainee with %s relays', (relays) => {
  beforeAll(() => bundle.restart({ ...vars, GRID_RELAYS: relays }))

  async function collect(name: Name): Promise<readonly IncomingEvent[]> {
    const path = '/events?ids=1&topics=alarm,gap,grid,diagram'
    const stream = await ask('trainee', name, { method: 'GET', path }, { 'last-event-id': '00000000-1' })
    const events: IncomingEvent[] = []
    const reading = (async () => {
      for await (const event of readEvents(stream.body)) {
        events.push(event)
        if (event.data.includes('"acknowledged","numbers":[1]')) break
      }
    })()
    await trainers[name].post('/grid/breaker', { breaker: 'CB-4-5', closed: relays === '1' })
    await trainers[name].step(60)
    await trainers[name].post('/grid/acknowledge', { numbers: [1] })
    await reading
    return events
  }

  it('is the same from both simulations and tells nothing of the true grid', async () => {
    const [calm, attacked] = [await collect('drill-a'), await collect('drill-b')]
    const told = (events: readonly IncomingEvent[]) => events.filter(({ event }) => event !== 'diagram')
    expect(told(attacked)).toEqual(told(calm))
    const kinds = new Set(told(calm).map(({ event, data }) => (event === 'grid' ? JSON.parse(data).event : event)))
    expect(kinds).toContain('estimate')
    for (const kind of ['state', 'breaker', 'happening', 'refused', 'incident']) expect(kinds).not.toContain(kind)
    const diagrams = [...calm, ...attacked].filter(({ event }) => event === 'diagram')
    expect(diagrams.length).toBeGreaterThan(0)
    for (const { data } of diagrams) expect(JSON.parse(data).true).toEqual({})
  })
})
