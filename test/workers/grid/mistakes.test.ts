/** Mistakes that people make with the interface: each answer says what was wrong and what would be right. */

import { beforeEach, describe, expect, it } from 'vitest'
import { startBundle } from '../../support/bundle.ts'
import { gridBearer, gridToken } from '../../support/grid-service.ts'
import { host } from '../../support/host.ts'

const bundle = host(() => startBundle({ worker: 'grid', rebuild: true, vars: { GRID_TOKEN: gridToken } }))

/** The answer of the service is under test. */
// biome-ignore lint/suspicious/noExplicitAny: its shape is checked by the test
type Body = any

async function post(path: string, body?: unknown): Promise<{ status: number; body: Body }> {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const response = await fetch(`${bundle.url}/api/v1${path}`, {
    method: 'POST',
    headers: gridBearer,
    ...(body === undefined ? {} : { body: text }),
  })
  return { status: response.status, body: await response.json() }
}

async function active(): Promise<readonly string[]> {
  const response = await fetch(`${bundle.url}/api/v1/attacks/current`, { headers: gridBearer })
  return ((await response.json()) as Body).active.map(({ type }: { type: string }) => type)
}

describe('POST /attack/disable', () => {
  beforeEach(async () => {
    await post('/attack/disable')
    for (const type of ['NOISE', 'DROP']) await post('/attack/enable', { type })
  })

  it.each([
    [{ type: 7 }, 'type is 7, expected a text'],
    [{ type: null }, 'type is null, expected a text'],
    [{ type: '' }, 'type is "", expected a text'],
    [{ attack_id: ['NOISE-1'] }, 'attack_id is a list of 1, expected a text'],
    [{ typ: 'NOISE' }, 'unknown property "typ", did you mean "type"?'],
    [{ attackId: 'NOISE-1' }, 'unknown property "attackId", did you mean "attack_id"?'],
    [[], 'the body is not a JSON object'],
    ['{"type": "NOISE"', 'the body cannot be read: it is not valid JSON'],
  ])('ends nothing for %j, and says why', async (body, mistake) => {
    expect(await post('/attack/disable', body)).toEqual({
      status: 200,
      body: {
        success: true,
        message: `0 attacks disabled: ${mistake}`,
        disabled: [],
        hint: 'Send {"type": "NOISE"} or {"attack_id": "NOISE-1"}, or no body to disable every attack',
      },
    })
    expect(await active()).toEqual(['NOISE', 'DROP'])
  })

  it('lists the active attacks where the request matches none', async () => {
    expect((await post('/attack/disable', { type: 'NOIZE' })).body).toEqual({
      success: true,
      message: '0 attacks disabled: Unknown attack type "NOIZE", did you mean "NOISE"?',
      disabled: [],
      hint: 'Active: NOISE, DROP',
    })
  })

  it.each([undefined, {}, { reason: 'the drill is over' }])('ends everything for %j', async (body) => {
    expect((await post('/attack/disable', body)).body.message).toBe('All attacks disabled')
    expect(await active()).toEqual([])
  })
})

describe('POST /attack/enable', () => {
  it.each([
    [
      { type: 'NOISE', noise_std: 3 },
      'Parameter "noise_std" is given as "noise_std" beside "params", expected inside it',
    ],
    [{ type: 'NOISE', parms: {} }, 'Unknown property "parms", did you mean "params"?'],
    [{ type: 'NOISE', targetLink: 'PMU-2' }, 'Unknown property "targetLink", did you mean "target_link"?'],
  ])('enables nothing for %j', async (body, error) => {
    await post('/attack/disable')
    expect(await post('/attack/enable', body)).toMatchObject({
      status: 200,
      body: {
        success: false,
        error,
        errors: [error],
        mistakes: [{ message: error }],
        hint: expect.stringContaining('inside "params"'),
      },
    })
    expect(await active()).toEqual([])
  })

  it('warns of what it ignores', async () => {
    const { body } = await post('/attack/enable', { type: 'NOISE', comment: 'drill' })
    expect(body).toMatchObject({ success: true, warnings: ['Unknown property "comment" was ignored'] })
  })

  it('names the field that was misspelled', async () => {
    expect(await post('/attack/enable', { typ: 'NOISE' })).toMatchObject({
      status: 400,
      body: {
        error: "Missing 'type' field",
        hint: expect.stringMatching(/^Did you mean "type" where the body says "typ"\? Send /),
      },
    })
  })
})

describe('GET /events', () => {
  it('refuses a topic that does not exist, and names the nearest', async () => {
    const response = await fetch(`${bundle.url}/api/v1/events?topics=incidents`, { headers: gridBearer })
    expect([response.status, await response.json()]).toEqual([
      400,
      {
        error: 'Cannot open the stream: unknown topic "incidents"',
        hint: 'Did you mean "incident"? Topics are incident, grid, alarm, attack, gap, status, diagram',
      },
    ])
  })
})

describe('GET /', () => {
  it('is HTML for browsers, whose links lead somewhere', async () => {
    const html = await (await fetch(bundle.url, { headers: { accept: 'text/html,*/*' } })).text()
    const links = [...html.matchAll(/href="([^"]+)"/g)].map(([, path]) => path)
    expect(links.length).toBe(4)
    for (const path of links) {
      const { status } = await fetch(`${bundle.url}${path}`, { headers: gridBearer })
      expect([path, status]).toEqual([path, 200])
    }
  })

  it('lists the interface without a token, and nothing of the simulation', async () => {
    const response = await fetch(bundle.url)
    expect([response.status, await response.json()]).toEqual([
      200,
      {
        tool: 'Sluice Grid',
        version: '1.0.0',
        interface: '/api/v1',
        status: '/api/v1/status',
        docs: '/api/v1/docs',
        openapi: '/api/v1/openapi.json',
        simulations: '/api/v1/simulations',
        hint: 'All but the status need: Authorization: Bearer <api_key>',
      },
    ])
  })
})
