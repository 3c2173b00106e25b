/** The interface's description, row by row: every endpoint with every status, every rule and every limit. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningBundle, startBundle } from '../../support/bundle.ts'
import { createSimulations } from '../../support/grid-service.ts'

const token = 'a'.repeat(32)
const bearer = { authorization: `Bearer ${token}` }

let bundle: RunningBundle
let base: string

beforeAll(async () => {
  bundle = await startBundle({ worker: 'grid', rebuild: true, vars: { GRID_TOKEN: token } })
  base = `${bundle.url}/simulations/contract/api/v1`
  await createSimulations(bundle.url, ['contract', 'empty'], token)
  // A session with a separate clock, stopped at a known step: nothing moves while the tests look at it.
  await post('/sim/stop')
  await post('/sim/config', { seed: 3, start_time: 1_764_000_000, auto_pause_s: 0 })
  await post('/sim/stop')
  await post('/attack/enable', { type: 'NOISE', params: {} })
  await post('/sim/step', { steps: 60 })
  await post('/attack/enable', { type: 'DROP', params: { drop_percent: 50 } })
  await post('/sim/step', { steps: 40 })
  await post('/attack/disable')
})

afterAll(() => bundle?.stop())

function get(path: string, headers: Record<string, string> = bearer): Promise<Response> {
  return fetch(`${base}${path}`, { headers })
}

function post(path: string, body?: unknown, headers: Record<string, string> = bearer): Promise<Response> {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return fetch(`${base}${path}`, { method: 'POST', headers, ...(body === undefined ? {} : { body: text }) })
}

/** Bodies whose shape the test itself checks. */
// biome-ignore lint/suspicious/noExplicitAny: what the service answers is what is under test
type Body = any

async function bodyOf(response: Response): Promise<Body> {
  return response.json()
}

const endpoints = [
  ['GET', '/status', 'application/json; charset=utf-8'],
  ['GET', '/simulation', 'application/json; charset=utf-8'],
  ['GET', '/topology', 'application/json; charset=utf-8'],
  ['GET', '/attacks/current', 'application/json; charset=utf-8'],
  ['GET', '/incidents', 'application/json; charset=utf-8'],
  ['GET', '/packets/recent', 'application/json; charset=utf-8'],
  ['GET', '/export/stix', 'application/json'],
  ['GET', '/export/csv', 'text/csv'],
  ['GET', '/export/pcap', 'application/vnd.tcpdump.pcap'],
  ['GET', '/events', 'text/event-stream; charset=utf-8'],
  ['GET', '/docs', 'text/html; charset=utf-8'],
  ['POST', '/attack/enable', 'application/json; charset=utf-8'],
  ['POST', '/attack/disable', 'application/json; charset=utf-8'],
] as const

describe.each(endpoints)('%s %s', (method, path, contentType) => {
  const ask = (headers: Record<string, string>) =>
    fetch(`${base}${path}`, {
      method,
      headers,
      ...(path === '/attack/enable' ? { body: '{"type":"unknown","params":{}}' } : {}),
    })

  it('answers 200 with its content type and every origin', async () => {
    const response = await ask(bearer)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe(contentType)
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    await response.body?.cancel()
  })

  it('answers OPTIONS with 204, the methods, the headers and every origin, without a token', async () => {
    const response = await fetch(`${base}${path}`, { method: 'OPTIONS' })
    expect(response.status).toBe(204)
    expect(response.headers.get('access-control-allow-methods')).toBe('GET, POST, OPTIONS')
    expect(response.headers.get('access-control-allow-headers')).toBe('Authorization, Content-Type')
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
  })

  it.each([
    ['no token', {}],
    ['a wrong token', { authorization: `Bearer ${'b'.repeat(32)}` }],
    ['half a token', { authorization: `Bearer ${'a'.repeat(16)}` }],
    ['another scheme', { authorization: `Basic ${token}` }],
  ])('answers %s with 401 and the Error shape, only the status with 200', async (_, headers) => {
    const response = await ask(headers as Record<string, string>)
    if (path === '/status') {
      expect(response.status).toBe(200)
      return
    }
    expect(response.status).toBe(401)
    expect(response.headers.get('www-authenticate')).toBe('Bearer')
    expect(await response.json()).toEqual({
      error: 'Unauthorized',
      hint: 'Include: Authorization: Bearer <api_key>',
      detail: '<api_key> is the value of GRID_TOKEN, or a token of SLUICE_TOKENS with the scope grid',
    })
  })
})

describe('authentication', () => {
  it('precedes routing: an unknown path is 401 without a token and 404 with it', async () => {
    expect((await get('/nothing', {})).status).toBe(401)
    const response = await get('/nothing')
    expect(response.status).toBe(404)
    expect(await response.json()).toEqual({
      error: 'Not found: /simulations/contract/api/v1/nothing',
      hint: 'GET /simulations/contract/api/v1/openapi.json lists every path',
    })
  })

  it('refuses a token in the query with a hint, the right one too', async () => {
    const response = await get(`/simulation?token=${token}`, {})
    expect(response.status).toBe(401)
    expect((await bodyOf(response)).hint).toMatch(/^Never send the token in the query/)
  })

  it('strips slashes at the end', async () => {
    expect((await get('/simulation///')).status).toBe(200)
  })

  it('keeps the root of the interface without an alias for the help', async () => {
    expect((await get('/')).status).toBe(404)
  })
})

describe('methods', () => {
  it.each(endpoints)('%s %s answers every other method with 405 and the ones it has', async (method, path) => {
    const allow = method === 'GET' ? 'GET, HEAD, OPTIONS' : 'POST, OPTIONS'
    for (const other of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND']) {
      if (allow.split(', ').includes(other)) continue
      const response = await fetch(`${base}${path}`, { method: other, headers: bearer })
      expect([other, response.status, response.headers.get('allow')]).toEqual([other, 405, allow])
      if (other === 'HEAD') continue
      const full = new URL(`${base}${path}`).pathname
      expect(await response.json()).toEqual({
        error: `Method not allowed: ${other} ${full}`,
        hint: `Allowed: ${allow}`,
      })
    }
  })

  it.each(endpoints.filter(([method]) => method === 'GET'))(
    '%s %s answers HEAD with the headers of GET and no body',
    async (_, path, contentType) => {
      const anonymous = await fetch(`${base}${path}`, { method: 'HEAD' })
      expect(anonymous.status).toBe(path === '/status' ? 200 : 401)
      const head = await fetch(`${base}${path}`, { method: 'HEAD', headers: bearer })
      expect([head.status, head.headers.get('content-type')]).toEqual([200, contentType])
      expect(await head.text()).toBe('')
      const full = await get(path)
      await full.body?.cancel()
      const named = (response: Response) =>
        ['cache-control', 'content-disposition', 'access-control-allow-origin'].map((name) =>
          response.headers.get(name),
        )
      expect(named(head)).toEqual(named(full))
    },
  )

  it.each(['/nothing', '/', '', '/../../simulations/NO_NAME/api/v1/status'])(
    'OPTIONS on any path is 204 without a token: "%s"',
    async (path) => {
      const response = await fetch(`${base}${path}`, { method: 'OPTIONS' })
      expect(response.status).toBe(204)
      expect(response.headers.get('access-control-allow-methods')).toBe('GET, POST, OPTIONS')
    },
  )
})

describe('GET /status', () => {
  it('has every field of Status and Simulation with its type', async () => {
    expect(await bodyOf(await get('/status', {}))).toMatchObject({
      tool: expect.any(String),
      version: expect.any(String),
      timestamp: expect.any(Number),
      auth: true,
      sim_running: false,
      session_id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4/),
      uptime_s: expect.any(Number),
      total_incidents: expect.any(Number),
      attacked: expect.any(Number),
      integrations: { pcap: true, syslog: false, rest_api: true },
    })
  })

  it('never holds the token', async () => {
    expect(await (await get('/status', {})).text()).not.toContain(token)
    expect(await (await get('/docs')).text()).not.toContain(token)
  })
})

describe('GET /incidents', () => {
  it('gives the last 100 by default, oldest first, with count and total', async () => {
    const { count, total, incidents } = await bodyOf(await get('/incidents'))
    expect([count, incidents.length]).toEqual([100, 100])
    expect(total).toBeGreaterThan(400)
    const times = incidents.map((incident: Body) => incident.timestamp)
    expect(times).toEqual([...times].sort((a, b) => a - b))
    for (const incident of incidents) {
      expect(incident).toMatchObject({
        id: expect.stringMatching(/^[0-9a-f]{8}$/),
        timestamp: expect.any(Number),
        timestamp_iso: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00$/),
        protocol: expect.stringMatching(/^(C37\.118|DNP3|Modbus|IEC104|GOOSE)$/),
        attack_type: expect.any(String),
        status: expect.stringMatching(/^(clean|attacked|dropped|invalid)$/),
        severity: expect.stringMatching(/^(INFO|LOW|MEDIUM|HIGH|CRITICAL)$/),
      })
      expect(Date.parse(incident.timestamp_iso) / 1000).toBeCloseTo(incident.timestamp, 2)
    }
  })

  it.each([
    ['0', 0],
    ['7', 7],
    ['%20%2B1_0%20', 10],
    ['100000', 0],
    ['', 100],
  ])('reads limit=%s as Python does', async (limit, expected) => {
    const { count, total } = await bodyOf(await get(`/incidents?limit=${limit}`))
    expect(count).toBe(expected === 0 ? total : expected)
  })

  it('reads a negative limit as a slice: all but the first ones', async () => {
    const all = await bodyOf(await get('/incidents?limit=0'))
    const rest = await bodyOf(await get('/incidents?limit=-5'))
    expect(rest.incidents).toEqual(all.incidents.slice(5))
    expect((await bodyOf(await get('/incidents?limit=-100000'))).incidents).toEqual([])
  })

  it('takes the last of repeated parameters', async () => {
    expect((await bodyOf(await get('/incidents?limit=3&limit=4'))).count).toBe(4)
  })

  it.each(['abc', '1.5', '1__0', '0x10', "it's"])('answers limit=%s with 500 and the text of int()', async (limit) => {
    const response = await get(`/incidents?limit=${encodeURIComponent(limit)}`)
    const quoted = limit.includes("'") ? `"${limit}"` : `'${limit}'`
    expect(response.status).toBe(500)
    expect((await bodyOf(response)).error).toBe(`invalid literal for int() with base 10: ${quoted}`)
  })

  it('filters by protocol in any case; total counts after the filter', async () => {
    const { count, total, incidents } = await bodyOf(await get('/incidents?proto=dnp3&limit=0'))
    expect(count).toBe(total)
    expect(count).toBeGreaterThan(20)
    expect(new Set(incidents.map((incident: Body) => incident.protocol))).toEqual(new Set(['DNP3']))
  })

  it('keeps dropped messages without a modified value, and both values of altered ones', async () => {
    const { incidents } = await bodyOf(await get('/incidents?limit=0'))
    const dropped = incidents.find((incident: Body) => incident.status === 'dropped')
    const attacked = incidents.find((incident: Body) => incident.status === 'attacked')
    expect([dropped.severity, dropped.attack_type, 'modified_val' in dropped]).toEqual(['MEDIUM', 'DROP', false])
    expect([attacked.severity, attacked.attack_type]).toEqual(['HIGH', 'NOISE'])
    expect(attacked.original_val.raw_hex).not.toBe(attacked.modified_val.raw_hex)
  })
})

describe('GET /packets/recent', () => {
  it('gives the last 50 by default, with the fields of a packet summary', async () => {
    const { count, packets } = await bodyOf(await get('/packets/recent'))
    expect([count, packets.length]).toEqual([50, 50])
    for (const packet of packets) {
      expect(packet).toMatchObject({
        timestamp: expect.any(Number),
        protocol: expect.any(String),
        status: expect.any(String),
        attack: expect.any(String),
        src: expect.any(String),
        dst: expect.any(String),
        len: expect.any(Number),
      })
    }
  })

  it('slices as incidents are sliced, and retains at most 1,000', async () => {
    const all = await bodyOf(await get('/packets/recent?limit=0'))
    expect(all.count).toBeLessThanOrEqual(1000)
    expect((await bodyOf(await get('/packets/recent?limit=-3'))).count).toBe(all.count - 3)
    expect((await get('/packets/recent?limit=x')).status).toBe(500)
  })
})

describe('exports', () => {
  it.each([
    ['/export/stix', 'sim_stix2.json'],
    ['/export/csv', 'sim_incidents.csv'],
    ['/export/pcap', 'sim_capture.pcap'],
  ])('%s is an attachment named %s', async (path, filename) => {
    const response = await get(path)
    expect(response.headers.get('content-disposition')).toBe(`attachment; filename="${filename}"`)
    await response.body?.cancel()
  })

  it('STIX holds at most the latest 20 attacked incidents as observed data', async () => {
    const { objects } = await bodyOf(await get('/export/stix'))
    expect(objects.filter(({ type }: Body) => type === 'observed-data')).toHaveLength(20)
  })

  it('CSV has nine columns, a header and a row for every retained incident, clean ones too', async () => {
    const text = await (await get('/export/csv')).text()
    const lines = text.split('\r\n')
    const { total } = await bodyOf(await get('/incidents?limit=1'))
    expect(lines[0]).toBe('id,timestamp_iso,protocol,src_ip,dst_ip,attack_type,status,severity,description')
    expect(lines).toHaveLength(total + 2)
    expect(text).toContain(',clean,INFO,')
  })

  it('PCAP begins with the magic of microseconds', async () => {
    const bytes = new Uint8Array(await (await get('/export/pcap')).arrayBuffer())
    expect([...bytes.subarray(0, 4)]).toEqual([0xd4, 0xc3, 0xb2, 0xa1])
    expect(bytes.length).toBeGreaterThan(20_000)
  })

  it('one incident is found by its id, and exported as STIX and as a capture of what is around it', async () => {
    const { incidents } = await bodyOf(await get('/incidents?limit=0'))
    const { id } = incidents.findLast(({ status }: Body) => status === 'attacked')
    expect((await bodyOf(await get(`/incidents?id=${id}`))).incidents).toMatchObject([{ id }])
    const { objects } = await bodyOf(await get(`/export/stix?incident=${id}`))
    expect(objects.filter(({ type }: Body) => type === 'observed-data')).toHaveLength(1)
    const octets = async (path: string) => (await (await get(path)).arrayBuffer()).byteLength
    const around = await octets(`/export/pcapng?incident=${id}`)
    expect(around).toBeGreaterThan(1_000)
    expect(around).toBeLessThan(await octets('/export/pcapng'))
    const unknown = await get('/export/pcapng?incident=none')
    expect([unknown.status, (await bodyOf(unknown)).error]).toEqual([
      404,
      'Cannot export incident "none": it is not retained',
    ])
  })

  it('PCAP is 404 with the Error shape while nothing was captured', async () => {
    const fresh = `${bundle.url}/simulations/empty/api/v1`
    await fetch(`${fresh}/sim/stop`, { method: 'POST', headers: bearer })
    await fetch(`${fresh}/sim/config`, { method: 'POST', headers: bearer, body: '{"mode":"external"}' })
    const response = await fetch(`${fresh}/export/pcap`, { headers: bearer })
    expect(response.status).toBe(404)
    expect((await bodyOf(response)).error).toBe('pcap capture not active')
  })
})

describe('GET /docs', () => {
  it('is a page without any script or key', async () => {
    const response = await get('/docs')
    const page = await response.text()
    expect(page).toContain('<!doctype html>')
    expect(page).not.toMatch(/<script|std_dev/)
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'")
  })
})

describe('POST /attack/enable', () => {
  it.each([
    ['text that is no JSON', '{', "Missing 'type' field"],
    ['an empty object', '{}', "Missing 'type' field"],
    ['an empty type', '{"type":"","params":{}}', "Missing 'type' field"],
    ['a type that is no text', '{"type":7,"params":{}}', "Missing 'type' field"],
    ['an array', '[]', 'Request body must be a JSON object'],
    ['params that are a list', '{"type":"NOISE","params":[]}', 'params must be a JSON object'],
    ['params that are null', '{"type":"NOISE","params":null}', 'params must be a JSON object'],
  ])('answers %s with 400', async (_, body, error) => {
    const response = await post('/attack/enable', body)
    expect(response.status).toBe(400)
    expect((await bodyOf(response)).error).toBe(error)
  })

  it('answers an unknown type with 200 and success false', async () => {
    const response = await post('/attack/enable', { type: 'EARTHQUAKE', params: {} })
    expect(response.status).toBe(200)
    expect(await response.json()).toMatchObject({ success: false, errors: ['Unknown attack type "EARTHQUAKE"'] })
  })

  it('lists every mistake in the parameters and enables nothing', async () => {
    const params = { noise_std: 1e9, add_freq_noise: 'yes', volume: 11 }
    const result = await bodyOf(await post('/attack/enable', { type: 'NOISE', params }))
    expect(result.success).toBe(false)
    expect(result.errors).toHaveLength(3)
    expect(result.mistakes.map(({ path }: { path: string }) => path).sort()).toEqual([
      'params.add_freq_noise',
      'params.noise_std',
      'params.volume',
    ])
    expect((await bodyOf(await get('/attacks/current'))).active).toEqual([])
  })

  it.each(['__proto__', 'constructor', 'toString'])('names the parameter %s, which no attack has', async (name) => {
    const body = `{"type":"NOISE","params":{"${name}":{}}}`
    expect((await bodyOf(await post('/attack/enable', body))).error).toContain(`"${name}"`)
  })

  it('refuses numbers that are not finite', async () => {
    const result = await bodyOf(await post('/attack/enable', '{"type":"NOISE","params":{"noise_std":1e999}}'))
    expect(result).toMatchObject({ success: false, errors: [expect.stringContaining('Infinity')] })
  })

  it('refuses bodies that are too long or too deep', async () => {
    expect((await post('/attack/enable', `{"type":"${'x'.repeat(70_000)}"}`)).status).toBe(413)
    const deep = `{"type":"NOISE","params":${'{"a":'.repeat(40)}1${'}'.repeat(40)}}`
    expect((await post('/attack/enable', deep)).status).toBe(400)
  })

  it('enables with every default filled in, in any letter case, several at once', async () => {
    const result = await bodyOf(await post('/attack/enable', { type: 'ramp', params: {} }))
    expect(result).toMatchObject({
      success: true,
      attack_type: 'RAMP',
      attack_id: expect.stringMatching(/^RAMP-\d+$/),
      effective_params: { ramp_rate: 0.05, target: 'magnitude', direction: 'up', phasor_idx: -1 },
    })
    await post('/attack/enable', { type: 'SCALE', params: {} })
    const current = await bodyOf(await get('/attacks/current'))
    expect(current).toMatchObject({
      type: 'SCALE',
      enabled: true,
      total_packets: expect.any(Number),
      modified_packets: expect.any(Number),
      dropped_packets: expect.any(Number),
    })
    expect(current.active.map(({ type }: Body) => type)).toEqual(['RAMP', 'SCALE'])
  })
})

describe('POST /attack/disable', () => {
  it('acknowledges one, all, and none', async () => {
    expect(await bodyOf(await post('/attack/disable', { type: 'ramp' }))).toMatchObject({ success: true })
    expect(await bodyOf(await post('/attack/disable'))).toMatchObject({
      success: true,
      message: 'All attacks disabled',
    })
    expect(await bodyOf(await post('/attack/disable', 'no json'))).toMatchObject({ success: true, disabled: [] })
  })

  it('reads a type as enable does: in any letter case, with blanks around it', async () => {
    await post('/attack/enable', { type: ' scale ', params: {} })
    expect(await bodyOf(await post('/attack/disable', { type: ' Scale ' }))).toMatchObject({
      disabled: [expect.stringMatching(/^SCALE-/)],
    })
  })

  it.each([
    ['any properties', '{"type":7,"attack_id":null,"more":[1]}'],
    ['properties at any depth', `{"more":${'['.repeat(20_000)}${']'.repeat(20_000)}}`],
    ['octets that are no text', new Uint8Array([0xff, 0xfe, 0x7b])],
    ['an array', '[1]'],
  ])('acknowledges %s', async (_, body) => {
    const response = await fetch(`${base}/attack/disable`, { method: 'POST', headers: bearer, body })
    expect([response.status, (await bodyOf(response)).success]).toEqual([200, true])
  })
})

describe('settings', () => {
  it('can keep the defect of the proto filter, and can switch enforcement off, which status shows', async () => {
    const other = await startBundle({ worker: 'grid', vars: { LEGACY_PROTO_FILTER: 'on', GRID_AUTH: 'off' } })
    try {
      const at = `${other.url}/api/v1`
      expect(await bodyOf(await fetch(`${at}/status`))).toMatchObject({ auth: false })
      await fetch(`${at}/sim/stop`, { method: 'POST' })
      await fetch(`${at}/sim/step`, { method: 'POST', body: '{"steps":20}' })
      expect((await bodyOf(await fetch(`${at}/incidents`))).count).toBeGreaterThan(20)
      expect((await bodyOf(await fetch(`${at}/incidents?proto=DNP3`))).count).toBe(0)
    } finally {
      await other.stop()
    }
  })

  it('refuses every request while no token is configured', async () => {
    const other = await startBundle({ worker: 'grid' })
    try {
      expect((await fetch(`${other.url}/api/v1/simulation`, { headers: bearer })).status).toBe(401)
      expect((await fetch(`${other.url}/api/v1/simulation`, { headers: { authorization: 'Bearer ' } })).status).toBe(
        401,
      )
    } finally {
      await other.stop()
    }
  })
})
