/** Stored networks over HTTP: imported, exported, bounded, and copied into the sessions that use them. */

import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { doAtOnce } from '#base/slices.ts'
import { importCase } from '#grid/import/import-case.ts'
import { networkBounds } from '#grid/interface/request-bounds.ts'
import { type RunningBundle, startBundle } from '../../support/bundle.ts'
import { createSimulations, gridBearer, gridClient, gridToken } from '../../support/grid-service.ts'

const trainerToken = 'trainer-of-drill-0123456789'
const roles = JSON.stringify([{ name: 'trainer', token: trainerToken, simulation: 'drill', right: 'trainer' }])

let bundle: RunningBundle

beforeAll(async () => {
  bundle = await startBundle({ worker: 'grid', rebuild: true, vars: { GRID_TOKEN: gridToken, GRID_ROLES: roles } })
  await createSimulations(bundle.url, ['drill', 'other'])
})
afterAll(() => bundle?.stop())

const vector = (name: string) => readFileSync(new URL(`../../vectors/networks/${name}`, import.meta.url), 'utf8')

/** The answer of the service is under test. */
// biome-ignore lint/suspicious/noExplicitAny: its shape is checked by the test
type Body = any

async function ask(method: string, path: string, body?: unknown, headers = gridBearer as Record<string, string>) {
  const content = body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body)
  const response = await fetch(`${bundle.url}${path}`, { method, headers, body: content })
  const text = await response.text()
  return { status: response.status, text, body: parse(text) }
}

function parse(text: string): Body {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const put = (name: string, text: string, query = '') => ask('PUT', `/api/v1/networks/${name}${query}`, text)

describe('PUT /networks/NAME', () => {
  it('stores a case file and names what is not as in the file', async () => {
    const { status, body } = await put('rts', vector('case24_ieee_rts.m'))
    expect(status).toBe(200)
    expect(body).toMatchObject({ name: 'rts', buses: 24, branches: 38, generators: 11 })
    expect(body.warnings).toContain('6 machines at bus 15 are taken as one')
    const listed = (await ask('GET', '/api/v1/networks')).body
    const { warnings: _, ...summary } = body
    expect(listed).toEqual({ count: 1, maximum: networkBounds.count, networks: [summary] })
  })

  it('counts the octets of a title', async () => {
    const titled = async (title: string) => {
      const grid = JSON.parse(vector('cigre_mv.json'))
      const { body } = await put('titled', JSON.stringify({ ...grid, _object: { ...grid._object, name: title } }))
      return body.bytes
    }
    const plain = await titled('aaaa')
    // The tables have the title twice.
    expect((await titled('üüüü')) - plain).toBe(8)
    await ask('DELETE', '/api/v1/networks/titled')
  })

  it('gives each form back, from which the same network is read', async () => {
    await put('mv', vector('cigre_mv.json'))
    const { body: tables } = await ask('GET', '/api/v1/networks/mv')
    for (const format of ['matpower', 'pandapower']) {
      const { text } = await ask('GET', `/api/v1/networks/mv?format=${format}`)
      const again = doAtOnce(importCase(text, { name: 'mv', f0Hz: tables.f0Hz })).tables
      expect(again.buses.map(([id]) => id)).toEqual(tables.buses.map(([id]: number[]) => id))
      expect(again.branches).toHaveLength(tables.branches.length)
    }
    expect((await ask('GET', '/api/v1/networks/mv?format=matpwr')).body.error).toContain('perhaps matpower')
  })

  const ieee30 = vector('case_ieee30.m')
  const rows = Array.from({ length: 10_000 }, (_, at) => `${at + 1} ${at === 0 ? 3 : 1} 0 0 0 0 1 1 0 1 1 1.1 0.9;`)
  it.each([
    ['wrong', 400, 'no solution', ieee30.replace('\t94.2\t', '\t9420\t')],
    ['wrong', 400, 'buses 1, 2 are of type 3', ieee30.replace('\t2\t2\t', '\t2\t3\t')],
    ['wrong', 400, 'no bus is of type 3', ieee30.replace('\t1\t3\t', '\t1\t2\t')],
    ['wrong', 400, 'are not connected', ieee30.replace(/^\t(?:9\t11|12\t13)\t.*$/gm, '')],
    ['wrong', 400, 'has no impedance', ieee30.replace('0.0192\t0.0575', '0\t0')],
    [
      'wrong',
      400,
      '10000 buses',
      `mpc.version = '2';\nmpc.bus = [\n${rows.join('\n')}\n];\nmpc.gen = [\n];\nmpc.branch = [\n];`,
    ],
    ['wrong', 400, 'line 1', 'not a case'],
    ['wrong', 413, 'longer than 4194304 bytes', ' '.repeat(4_194_305)],
    ['case14', 400, 'a built-in one has the name', ieee30],
    ['Wrong', 400, 'not the name of one', ieee30],
    ['wrong?frequency=fast', 400, 'expected hertz from 16 to 70', ieee30],
  ])('refuses %s: %i, %s', async (name, status, message, text) => {
    const answer = await put(name, text)
    expect([answer.status, answer.body.error]).toEqual([status, expect.stringContaining(message)])
    expect((await ask('GET', '/api/v1/networks/wrong')).status).toBe(404)
  })
})

describe('a session with network', () => {
  it('keeps its network when the stored one is replaced and deleted, and through a session document', async () => {
    await put('town', vector('case9.json'))
    const client = gridClient(bundle.url, 'drill')
    const begun = await ask('POST', '/simulations/drill/api/v1/sim/config', { network: 'town', seed: 3 })
    expect(begun.body).toMatchObject({ case: 'town', seed: 3 })
    await put('town', vector('cigre_mv.json'))
    expect((await ask('DELETE', '/api/v1/networks/town')).body).toEqual({ deleted: 'town' })
    await client.post('/sim/reset')
    const buses = async () => (await ask('GET', '/simulations/drill/api/v1/topology')).body.grid.buses.length
    expect(await buses()).toBe(9)
    const { configuration } = (await ask('GET', '/simulations/drill/api/v1/export/session')).body
    expect(configuration).toMatchObject({ case: 'town', network: { name: 'town', slackBus: 1 } })
    expect((await ask('POST', '/simulations/drill/api/v1/sim/config', { case: 'case30' })).body.case).toBe('case30')
    expect(await buses()).toBe(30)
    expect((await ask('GET', '/simulations/drill/api/v1/sim/config')).body.network).toBeUndefined()
  })

  it('runs at 300 buses: every station is polled and the state is estimated', async () => {
    expect((await put('large', vector('case300.m'))).body.buses).toBe(300)
    const body = { name: 'large', configuration: { network: 'large', scan_s: 1 } }
    expect((await ask('POST', '/api/v1/simulations', body)).status).toBe(200)
    const client = gridClient(bundle.url, 'large')
    await client.standAt(40, {})
    const view = (await ask('GET', '/simulations/large/api/v1/grid/view')).body
    expect(view.truth.vm_pu).toHaveLength(300)
    expect(view.estimate.suspicious).toBe(false)
  })

  it('is not begun with a network that is not there, or with a case beside it', async () => {
    const before = (await ask('GET', '/simulations/other/api/v1/simulation')).body
    const unknown = await ask('POST', '/simulations/other/api/v1/sim/config', { network: 'rst' })
    expect([unknown.status, unknown.body.hint]).toEqual([404, expect.stringContaining('Did you mean "rts"?')])
    const both = await ask('POST', '/simulations/other/api/v1/sim/config', { network: 'rts', case: 'case9' })
    expect([both.status, both.body.error]).toEqual([400, expect.stringContaining('case and network')])
    expect((await ask('POST', '/api/v1/simulations', { name: 'never', configuration: { network: 'no' } })).status).toBe(
      404,
    )
    expect((await ask('GET', '/simulations/never/api/v1/simulation')).status).toBe(404)
    expect((await ask('GET', '/simulations/other/api/v1/simulation')).body.session_id).toBe(before.session_id)
  })
})

describe('stored networks', () => {
  it('are written by a trainer in the place of the simulation, and by no stranger', async () => {
    const path = '/networks/of-trainer'
    const bearer = { authorization: `Bearer ${trainerToken}` }
    const below = `/simulations/drill/api/v1${path}`
    for (const method of ['GET', 'PUT', 'DELETE']) {
      expect((await ask(method, below, method === 'PUT' ? '' : undefined, {})).status).toBe(401)
      expect((await ask(method, `/api/v1${path}`, method === 'PUT' ? '' : undefined, bearer)).status).toBe(401)
    }
    expect((await ask('PUT', below, vector('case9.json'), bearer)).status).toBe(200)
    expect((await ask('DELETE', below, undefined, bearer)).status).toBe(200)
    expect((await ask('DELETE', below, undefined, bearer)).status).toBe(404)
  })

  it('are bounded in number; one that is there can be replaced', async () => {
    const text = vector('case9.json')
    for (let index = 0; ; index++) {
      const { count } = (await ask('GET', '/api/v1/networks')).body
      if (count === networkBounds.count) break
      expect((await put(`town-${index}`, text)).status).toBe(200)
    }
    const refused = await put('one-more', text)
    expect([refused.status, refused.body.hint]).toEqual([429, expect.stringContaining('DELETE /api/v1/networks/NAME')])
    expect((await put('town-0', text)).status).toBe(200)
    expect((await ask('OPTIONS', '/api/v1/networks/town-0')).status).toBe(204)
  })
})
