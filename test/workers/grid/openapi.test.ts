/** The interface's description for programs and its help: whole, valid, and of the same facts as the service. */

import { readFileSync } from 'node:fs'
import { Validator } from '@seriousme/openapi-schema-validator'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { attacks } from '#grid/attacks/catalogue.ts'
import { type AnswerName, answers } from '#grid/contract/answers.ts'
import { type Route, routes } from '#workers/grid/routes.ts'
import { type RunningBundle, startBundle } from '../../support/bundle.ts'
import { createSimulations, gridBearer, gridClient, gridToken } from '../../support/grid-service.ts'
import { sessionDocument } from '../../support/grid-session.ts'
import { schemaMistakes } from '../../support/schema-mistakes.ts'

const network = readFileSync(new URL('../../vectors/networks/case_ieee30.m', import.meta.url), 'utf8')

let bundle: RunningBundle
beforeAll(async () => {
  bundle = await startBundle({ worker: 'grid', rebuild: true, vars: { GRID_TOKEN: gridToken } })
  await createSimulations(bundle.url, ['drill'])
})
afterAll(() => bundle?.stop())

/** The answer of the service is under test. */
// biome-ignore lint/suspicious/noExplicitAny: its shape is checked by the test
type Body = any

async function read(base: string): Promise<Body> {
  return (await fetch(`${bundle.url}${base}/openapi.json`, { headers: gridBearer })).json()
}

function operationsOf(document: Body): readonly (readonly [path: string, method: string, operation: Body])[] {
  return Object.entries<Body>(document.paths).flatMap(([path, methods]) =>
    Object.entries<Body>(methods).map(([method, operation]) => [path, method, operation] as const),
  )
}

/** Every value of a key, at any depth. */
function valuesOf(part: Body, key: string): readonly Body[] {
  if (typeof part !== 'object' || part === null) return []
  return Object.entries(part).flatMap(([name, value]) => [...(name === key ? [value] : []), ...valuesOf(value, key)])
}

describe('statuses of refusals', () => {
  it.each([
    ['POST', '/sim/config', { network: 'none' }],
    ['POST', '/simulations', { name: 'other', configuration: { network: 'none' } }],
    ['GET', '/export/pcap?tap=none', undefined],
    ['GET', '/export/csv?columns=9', undefined],
    ['GET', '/export/labels?since=now', undefined],
  ] as const)('are described for %s %s', async (method, path, body) => {
    const init = { method, headers: gridBearer, ...(body !== undefined && { body: JSON.stringify(body) }) }
    const { status } = await fetch(`${bundle.url}/api/v1${path}`, init)
    const { paths } = await read('/api/v1')
    expect(status).toBeGreaterThanOrEqual(400)
    expect(Object.keys(paths[path.split('?')[0] ?? ''][method.toLowerCase()].responses)).toContain(String(status))
  })
})

describe.each(['/api/v1', '/simulations/drill/api/v1'])('GET %s/openapi.json', (base) => {
  it('has an operation id for every operation, each once', async () => {
    const ids = operationsOf(await read(base)).map(([, , { operationId }]) => operationId)
    expect(ids.every((id) => /^[a-z]\w+$/.test(id))).toBe(true)
    expect(new Set(ids).size).toBe(ids.length)
  })

  it('declares every name in a path, and no other', async () => {
    for (const [path, method, { parameters = [] }] of operationsOf(await read(base))) {
      const inPath = parameters.filter((one: Body) => one.in === 'path')
      const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
      expect([path, method, inPath.map((one: Body) => one.name)]).toEqual([path, method, names])
      expect(inPath.every((one: Body) => one.required === true)).toBe(true)
    }
  })

  it('refers to what it holds only', async () => {
    const document = await read(base)
    const references = valuesOf(document, '$ref')
    expect(references.length).toBeGreaterThan(50)
    for (const reference of references) {
      const at = reference.replace('#/', '').split('/')
      expect([reference, typeof at.reduce((part: Body, key: string) => part?.[key], document)]).toEqual([
        reference,
        'object',
      ])
    }
  })

  it('has the shape of every JSON body', async () => {
    const bodies = operationsOf(await read(base)).flatMap(([path, , { requestBody }]) =>
      requestBody?.content['application/json'] === undefined
        ? []
        : [[path, requestBody.content['application/json'].schema?.type]],
    )
    expect(bodies.length).toBeGreaterThanOrEqual(10)
    expect(bodies.filter(([, type]) => type !== 'object')).toEqual([])
  })
})

it('describes the bodies that the service takes: what it requires is what is missed', async () => {
  const { paths } = await read('/api/v1')
  for (const path of ['/sim/speed', '/grid/breaker', '/grid/load', '/ingest/packets', '/ingest/status']) {
    const { required } = paths[path].post.requestBody.content['application/json'].schema
    const sent = { method: 'POST', headers: gridBearer, body: '{}' }
    const { error }: Body = await (await fetch(`${bundle.url}/api/v1${path}`, sent)).json()
    const missed = [...error.matchAll(/(\w+) is missing/g)].map(([, name]) => name)
    expect([path, missed]).toEqual([path, required])
  }
})

describe('the shapes of answers', () => {
  /** Requests in an order in which each is answered with success, in a session of the engine. */
  const ofEngine: readonly (readonly [method: string, path: string, body?: unknown])[] = [
    ['GET', '/status'],
    ['POST', '/sim/config', { seed: 5, start_time: 1_764_000_000 }],
    ['POST', '/sim/start'],
    ['POST', '/sim/stop'],
    ['POST', '/sim/speed', { speed: 2 }],
    ['GET', '/grid/view'],
    ['GET', '/attacks/current'],
    ['POST', '/attack/enable', { type: 'NONE_SUCH' }],
    ['POST', '/attack/enable', { type: 'SCALE', note: 'ignored' }],
    ['POST', '/attack/enable', { type: 'FDI_STEALTH', params: { bus: 9 } }],
    ['POST', '/attack/enable', { type: 'IEC104_BREAKER_CMD', params: { breaker: 'CB-6-12' } }],
    ['POST', '/sim/step', { steps: 100 }],
    ['POST', '/grid/breaker', { breaker: 'CB-6-13', closed: false }],
    ['POST', '/grid/load', { scale: 1.1 }],
    ['POST', '/grid/generator', { bus: 2, connected: false }],
    ['POST', '/grid/join', { breaker: 'CB-6-13' }],
    ['POST', '/grid/tap', { breaker: 'CB-4-9', position: -2 }],
    ['POST', '/grid/acknowledge'],
    ['POST', '/grid/acknowledge', { numbers: [1] }],
    ['POST', '/sim/step', { steps: 50 }],
    ['POST', '/grid/generator', { bus: 2, connected: true, p_mw: 40 }],
    ['GET', '/simulation'],
    ['GET', '/topology'],
    ['GET', '/attacks/current'],
    ['GET', '/attacks/catalog'],
    ['GET', '/score'],
    ['POST', '/score?grace=60', { time: 1_764_000_000, frame: 1, score: 1 }],
    ['GET', '/grid/view'],
    ['GET', '/incidents?limit=0'],
    ['GET', '/incidents?limt=3'],
    ['GET', '/packets/recent?limit=0&porto=DNP3'],
    ['GET', '/sim/config'],
    ['GET', '/studies/contingency'],
    ['GET', '/studies/contingency?method=dc'],
    ['GET', '/studies/cascade?open=CB-1-2,CB-2-3&pickup=fragile'],
    ['GET', '/studies/fast-decoupled'],
    ['GET', '/studies/dc-estimation'],
    ['POST', '/attack/disable', { type: 'SCALE' }],
    ['POST', '/attack/disable'],
    ['GET', '/export/session'],
    ['GET', '/scenarios'],
    ['GET', '/scenario'],
    ['POST', '/scenario', { name: 'stealthy-injection' }],
    ['GET', '/scenario'],
    ['POST', '/sim/reset'],
    ['POST', '/scenario', { session: sessionDocument({ steps: 1 }), start: false }],
    ['POST', '/sim/step', { steps: 1 }],
    ['POST', '/scenario/answers', { answers: [] }],
    ['GET', '/scenario'],
    ['POST', '/events/ticket'],
    ['PUT', '/networks/short', network],
    ['GET', '/networks'],
    ['POST', '/sim/config', { network: 'short' }],
    ['GET', '/sim/config'],
    ['GET', '/export/session'],
    ['DELETE', '/networks/short'],
    ['POST', '/simulations', { name: 'short' }],
    ['GET', '/simulations'],
    ['DELETE', '/simulations/short'],
  ]
  const packet = { timestamp: 1_764_000_000, protocol: 'DNP3', src: '10.0.0.1', dst: '10.0.0.2' }
  /** The same for a session that an outside simulator feeds. */
  const fromOutside: typeof ofEngine = [
    ['POST', '/sim/config', { mode: 'external' }],
    ['GET', '/topology'],
    ['POST', '/ingest/packets', { source: 'lab', seq: 1, packets: [packet, { timestamp: 'late' }] }],
    ['POST', '/ingest/topology', { nodes: [{ id: 'A', node_type: 'PMU' }], links: [], grid: { title: 'x' } }],
    ['POST', '/ingest/status', { running: true, interval_s: 5 }],
    ['POST', '/ingest/pcap'],
    ['POST', '/attack/enable', { type: 'SCALE' }],
    ['GET', '/status'],
    ['GET', '/simulation'],
    ['GET', '/topology'],
    ['GET', '/attacks/current'],
    ['GET', '/incidents'],
    ['GET', '/packets/recent'],
  ]

  it('are those of the answers, member by member', async () => {
    const document = await read('/api/v1')
    const client = gridClient(bundle.url)
    await client.standAt(20)
    const capture = await client.download('/export/pcap')
    const seen = new Set<AnswerName>()
    for (const [method, path, body] of [...ofEngine, ...fromOutside]) {
      const content =
        path === '/ingest/pcap'
          ? capture
          : body === undefined
            ? null
            : typeof body === 'string'
              ? body
              : JSON.stringify(body)
      const response = await fetch(`${client.base}${path}`, { method, headers: gridBearer, body: content })
      const [name = ''] = path.split('?')
      const described =
        document.paths[name] ??
        document.paths[name.replace(/[^/]+$/, name.startsWith('/networks') ? '{network}' : '{name}')]
      const { schema } = described[method.toLowerCase()].responses[200].content['application/json']
      const answered = await response.json()
      expect([method, path, response.status]).toEqual([method, path, 200])
      expect([method, path, schemaMistakes(schema, answered, document.components)]).toEqual([method, path, []])
      // The first of two: the other is the control room's.
      const shape: AnswerName = (schema.$ref ?? schema.oneOf[0].$ref).split('/').at(-1)
      // Strict: a member that the schema lacks is a mistake.
      expect([method, path, answers[shape].safeParse(answered).error?.issues]).toEqual([method, path, undefined])
      seen.add(shape)
    }
    const named = (routes as readonly Route[]).flatMap(({ success }) => success.shape ?? [])
    expect(named.filter((shape) => !seen.has(shape))).toEqual([])
  })

  it('are in a document that a public validator takes', async () => {
    const validator = new Validator()
    expect(await validator.validate(await read('/api/v1'))).toEqual({ valid: true })
  })
})

describe('GET /docs', () => {
  it('lists every attack with each of its parameters', async () => {
    const page = await (await fetch(`${bundle.url}/api/v1/docs`, { headers: gridBearer })).text()
    for (const { type, params } of attacks) {
      const section = page.split(`<h3 id="${type}">`)[1]?.split('<h3')[0] ?? ''
      for (const name of Object.keys(params))
        expect([type, section]).toEqual([type, expect.stringContaining(`<code>${name}</code>`)])
    }
  })

  it('needs the token in a browser too', async () => {
    const response = await fetch(`${bundle.url}/api/v1/docs`, { headers: { accept: 'text/html' } })
    expect(response.status).toBe(401)
  })
})

describe('GET /openapi.json', () => {
  it('describes exactly the routes there are, and every one of them answers', async () => {
    const { openapi, paths, servers, components } = await read('/simulations/drill/api/v1')
    expect(openapi).toBe('3.1.0')
    expect(servers).toEqual([{ url: '/simulations/drill/api/v1' }])
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
      const response = await fetch(`${bundle.url}/simulations/drill/api/v1${path}`, { method, headers: gridBearer })
      expect([path, response.status === 405 || (response.status === 404 && !/pcap|labels|score/.test(path))]).toEqual([
        path,
        false,
      ])
      await response.body?.cancel()
    }
  })
})
