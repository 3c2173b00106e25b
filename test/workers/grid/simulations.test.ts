/** Simulations by name: made, listed and deleted on purpose, never by asking. */

import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readEvents } from '#base/event-stream.ts'
import { maximumSimulations } from '#grid/interface/request-bounds.ts'
import { type RunningBundle, startBundle } from '../../support/bundle.ts'
import { makeFolder } from '../../support/folder.ts'
import { createSimulations } from '../../support/grid-service.ts'

const token = 'b'.repeat(32)
const bearer = { authorization: `Bearer ${token}` }
const persist = makeFolder()

let bundle: RunningBundle

beforeAll(async () => {
  bundle = await startBundle({ worker: 'grid', rebuild: true, persist, vars: { GRID_TOKEN: token } })
})
afterAll(async () => {
  await bundle?.stop()
})

/** The answer of the service is under test. */
// biome-ignore lint/suspicious/noExplicitAny: its shape is checked by the test
type Body = any

async function ask(
  method: string,
  path: string,
  { body, headers = bearer }: { body?: unknown; headers?: Record<string, string> } = {},
): Promise<{ status: number; body: Body }> {
  const response = await fetch(`${bundle.url}${path}`, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return { status: response.status, body: await response.json() }
}

const listed = async () =>
  (await ask('GET', '/api/v1/simulations')).body.simulations.map(({ name }: { name: string }) => name)

/** Databases of simulations on disk. */
function countDatabases(): number {
  const folder = join(persist, 'grid-SimulationObject')
  if (!existsSync(folder)) return 0
  return readdirSync(folder).filter((name) => /^[0-9a-f]+\.sqlite$/.test(name)).length
}

describe('a name that does not exist', () => {
  it('is not created by requests without a token', async () => {
    const before = countDatabases()
    for (let index = 0; index < 50; index++) {
      const base = `/simulations/stranger-${index}/api/v1`
      expect(await ask('GET', `${base}/status`, { headers: {} })).toEqual({
        status: 404,
        body: { error: `Not found: there is no simulation "stranger-${index}"` },
      })
      const ticket = await ask('GET', `${base}/events?ticket=${'0'.repeat(32)}`, { headers: {} })
      expect(ticket.status).toBe(401)
      expect((await ask('POST', `${base}/sim/config`, { headers: {}, body: {} })).status).toBe(401)
    }
    expect(countDatabases()).toBe(before)
    expect(await listed()).toEqual(['default'])
  })

  it('is 404 for those with a token, naming the nearest that exists', async () => {
    await createSimulations(bundle.url, ['drill'], token)
    for (const [method, path] of [
      ['GET', '/incidents'],
      ['GET', '/events'],
      ['POST', '/attack/enable'],
      ['POST', '/sim/stop'],
    ] as const) {
      const body = method === 'POST' ? { type: 'NOISE' } : undefined
      expect(await ask(method, `/simulations/drlil/api/v1${path}`, { body })).toEqual({
        status: 404,
        body: {
          error: 'Not found: there is no simulation "drlil"',
          hint: 'Did you mean "drill"? GET /api/v1/simulations lists them; POST /api/v1/simulations {"name": "drlil"} creates one',
        },
      })
    }
    expect(await listed()).toEqual(['default', 'drill'])
  })

  it.each([{ case: 'nope' }, { casee: 'case9' }, []])(
    'is not made by a first configuration that is refused: %j',
    async (body) => {
      const before = await listed()
      expect((await ask('POST', '/simulations/refused/api/v1/sim/config', { body })).status).toBe(400)
      expect(await listed()).toEqual(before)
      expect((await ask('GET', '/simulations/refused/api/v1/simulation')).status).toBe(404)
    },
  )

  it('leaves no file behind, however many are asked for with a token', async () => {
    const before = countDatabases()
    for (let index = 0; index < 150; index++) {
      const { status } = await ask('GET', `/simulations/mistyped-${index}/api/v1/simulation`)
      expect(status).toBe(404)
    }
    expect(countDatabases()).toBe(before)
  })
})

describe('POST /simulations', () => {
  it('creates one with its configuration, once', async () => {
    const body = { name: 'nine', configuration: { case: 'case9', seed: 5 } }
    expect(await ask('POST', '/api/v1/simulations', { body })).toEqual({
      status: 200,
      body: { name: 'nine', base: '/simulations/nine/api/v1' },
    })
    expect((await ask('GET', '/simulations/nine/api/v1/simulation')).body).toMatchObject({ case: 'case9', seed: 5 })
    expect(await ask('POST', '/api/v1/simulations', { body: { name: 'nine' } })).toMatchObject({
      status: 409,
      body: { error: 'Cannot create simulation "nine": it exists already' },
    })
    expect((await ask('GET', '/simulations/nine/api/v1/sim/config')).body.case).toBe('case9')
  })

  it('creates one for several requests at once, with the configuration of the request that is answered 200', async () => {
    const seeds = [1, 2, 3, 4, 5]
    const answers = await Promise.all(
      seeds.map((seed) => ask('POST', '/api/v1/simulations', { body: { name: 'at-once', configuration: { seed } } })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409])
    const told = seeds[answers.findIndex(({ status }) => status === 200)]
    expect((await ask('GET', '/simulations/at-once/api/v1/sim/config')).body.seed).toBe(told)
  })

  it.each([
    [{}, /name/],
    [{ name: 'Upper' }, /expected 1 to 63 of a-z, 0-9 and -/],
    [{ name: 'x', configuration: { casee: 'case9' } }, /casee/],
  ])('refuses %j', async (body, message) => {
    const answer = await ask('POST', '/api/v1/simulations', { body })
    expect(answer.status).toBe(400)
    expect(answer.body.error).toMatch(message)
  })

  it('requires the token, and is not below a simulation', async () => {
    await createSimulations(bundle.url, ['nine'], token)
    expect((await ask('GET', '/api/v1/simulations', { headers: {} })).status).toBe(401)
    expect((await ask('GET', '/simulations/nine/api/v1/simulations')).status).toBe(404)
    expect((await ask('DELETE', '/api/v1/incidents')).status).toBe(405)
    expect((await ask('PUT', '/api/v1/simulations/nine')).body.hint).toBe('Allowed: DELETE, OPTIONS')
  })
})

describe('DELETE /simulations/NAME', () => {
  it('ends its streams, deletes everything and frees its place', async () => {
    await createSimulations(bundle.url, ['short'], token)
    const base = '/simulations/short/api/v1'
    await ask('POST', `${base}/sim/config`, { body: { case: 'case9' } })
    const stream = await fetch(`${bundle.url}${base}/events`, { headers: bearer })
    const comments: string[] = []
    const reading = (async () => {
      for await (const event of readEvents(stream.body)) comments.push(event.data)
    })()
    expect(await ask('DELETE', '/api/v1/simulations/short')).toEqual({ status: 200, body: { deleted: 'short' } })
    await reading
    expect((await ask('GET', `${base}/simulation`)).status).toBe(404)
    expect(await listed()).not.toContain('short')
    await createSimulations(bundle.url, ['short'], token)
    expect((await ask('GET', `${base}/sim/config`)).body.case).toBe('case14')
    expect((await ask('GET', `${base}/incidents?limit=0`)).body.total).toBeLessThan(500)
  })

  it('refuses the default one, and names the nearest of an unknown one', async () => {
    await createSimulations(bundle.url, ['nine'], token)
    expect((await ask('DELETE', '/api/v1/simulations/default')).status).toBe(409)
    expect(await ask('DELETE', '/api/v1/simulations/nin')).toMatchObject({
      status: 404,
      body: { hint: expect.stringContaining('Did you mean "nine"?') },
    })
  })

  it('may be asked for by pages of other origins', async () => {
    const preflight = await fetch(`${bundle.url}/api/v1/simulations/nine`, { method: 'OPTIONS' })
    expect(preflight.headers.get('access-control-allow-methods')).toBe('DELETE, OPTIONS')
  })
})

describe('the number of simulations', () => {
  it('has a bound, beyond which none is created', async () => {
    const names = Array.from({ length: maximumSimulations }, (_, index) => `many-${index}`)
    const created = (await listed()).length - 1
    const statuses: number[] = []
    for (const name of names) {
      statuses.push((await ask('POST', '/api/v1/simulations', { body: { name } })).status)
    }
    expect(statuses.filter((status) => status === 200)).toHaveLength(maximumSimulations - created)
    expect(await ask('POST', '/simulations/one-more/api/v1/sim/config', { body: {} })).toMatchObject({
      status: 429,
      body: { hint: expect.stringContaining('DELETE /api/v1/simulations/NAME') },
    })
    expect((await ask('GET', '/api/v1/simulations')).body).toMatchObject({
      count: maximumSimulations + 1,
      maximum: maximumSimulations + 1,
    })
  })
})
