/** The interface's description for programs and its help: whole, valid, and of the same facts as the service. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { attacks } from '../../../src/grid/attacks/catalogue.ts'
import { type RunningBundle, startBundle } from '../../support/bundle.ts'
import { createSimulations, gridBearer, gridToken } from '../../support/grid-service.ts'

let bundle: RunningBundle
beforeAll(async () => {
  bundle = await startBundle({ worker: 'grid', rebuild: true, vars: { GRID_TOKEN: gridToken } })
  await createSimulations(bundle.url, ['drill'])
})
afterAll(() => bundle?.stop())

/** What the service answers is what is under test. */
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
  return Object.entries(part).flatMap(([name, value]) => [
    ...(name === key ? [value] : []),
    ...valuesOf(value, key),
  ])
}

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
