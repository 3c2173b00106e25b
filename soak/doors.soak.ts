/**
 * Attempts to get in without a right: wrong tokens, tokens in wrong places, odd paths, other verbs, on every route
 * that asks for one.
 */

import { gatherViolations, grouped, type Soak } from './outcome.ts'
import { type Ports, prepareService, type Service, type Tokens } from './service.ts'
import { type Answer, Wire, type WireRequest } from './wire.ts'

/** The guarded routes of one surface. */
interface Door {
  readonly name: string
  readonly port: keyof Ports
  readonly token: keyof Tokens
  readonly prefix: string
  readonly routes: readonly string[]
}

const simulation = [
  'GET /simulation', 'GET /topology', 'GET /attacks/current', 'GET /attacks/catalog', 'GET /grid/view', 'GET /incidents',
  'GET /packets/recent', 'GET /export/stix', 'GET /export/csv', 'GET /export/pcap', 'GET /export/pcapng',
  'GET /export/labels', 'GET /export/session', 'GET /events', 'GET /ingest/commands', 'POST /events/ticket',
  'POST /attack/enable', 'POST /attack/disable', 'GET /sim/config', 'POST /sim/config', 'POST /sim/start',
  'POST /sim/stop', 'POST /sim/reset', 'POST /sim/step', 'POST /sim/speed', 'POST /grid/breaker', 'POST /grid/load',
  'POST /grid/join', 'POST /grid/generator', 'POST /grid/restore', 'POST /grid/tap', 'POST /grid/acknowledge', 'GET /scenarios', 'GET /scenario', 'POST /scenario', 'POST /scenario/answers',
  'POST /ingest/packets', 'POST /ingest/topology', 'POST /ingest/status', 'POST /ingest/pcap',
] // biome-ignore format: a list read as a whole
const operations = [
  'GET /rlconfig', 'GET /stats', 'GET /metrics', 'POST /explain', 'GET /counters?key=a', 'PUT /counters?key=a&seconds=9',
  'DELETE /counters?key=a', 'GET /config', 'GET /config/files', 'PUT /config/files', 'POST /config/check',
  'POST /config/rollback', 'GET /config/revisions/1', 'PUT /config/files/config.x.yaml',
  'DELETE /config/files/config.x.yaml',
] // biome-ignore format: a list read as a whole
const doors: readonly Door[] = [
  { name: 'grid', port: 'http', token: 'GRID_TOKEN', prefix: '/api/v1', routes: simulation },
  { name: 'named grid', port: 'http', token: 'GRID_TOKEN', prefix: '/simulations/door/api/v1', routes: simulation },
  { name: 'operator', port: 'debug', token: 'ADMIN_TOKEN', prefix: '', routes: operations },
  { name: 'operator by path', port: 'http', token: 'ADMIN_TOKEN', prefix: '/ratelimit', routes: operations },
  {
    name: 'gateway',
    port: 'http',
    token: 'STREAMNET_TOKEN',
    prefix: '/streamnet/v1',
    routes: [
      'GET /list_streams', 'POST /list_streams', 'POST /deploy_stream', 'POST /insert_all', 'GET /jobs', 'GET /jobs/x',
      'DELETE /jobs/x', 'POST /jobs/x/resume', 'GET /jobs/x/tx_hashes', 'GET /get_current_account',
    ], // biome-ignore format: a list read as a whole
  },
]

type Field = readonly [name: string, value: string]

/** Ways to present a right token that must not count, and wrong tokens. */
function wrongFields(token: string, others: readonly string[]): readonly (readonly Field[])[] {
  const authorization = (value: string): readonly Field[] => [['Authorization', value]]
  return [
    [],
    ...['', 'Bearer', 'Bearer ', 'Bearer null', 'Bearer undefined', token, `Basic ${token}`, `Token ${token}`].map(
      authorization,
    ),
    ...[`Bearer ${token.slice(0, -1)}`, `Bearer ${token}0`, `Bearer ${token},${token}`, `Bearer "${token}"`].map(
      authorization,
    ),
    ...[`Bearer=${token}`, `BearerX ${token}`, `Bearer\u00a0${token}`, `Bearer ${token} ${token}`].map(authorization),
    authorization(`Basic ${Buffer.from(`admin:${token}`).toString('base64')}`),
    ...others.map((other) => authorization(`Bearer ${other}`)),
    ...['Proxy-Authorization', 'X-Authorization', 'X-Forwarded-Authorization'].map((name): readonly Field[] => [
      [name, `Bearer ${token}`],
    ]),
    [['X-API-Key', token]],
    [['Cookie', `token=${token}; authorization=Bearer ${token}`]],
    ...['X-Original-URL', 'X-Rewrite-URL'].map((name): readonly Field[] => [[name, '/healthcheck']]),
    ...['X-Forwarded-For', 'CF-Connecting-IP'].map((name): readonly Field[] => [[name, '127.0.0.1']]),
    [['MF-Route-Override', 'admin-port']],
    [['MF-Original-URL', 'http://x/api/v1/status']],
    [['X-HTTP-Method-Override', 'OPTIONS']],
  ]
}

/** Spellings of a path that might pass a check and still reach the handler behind it. */
function oddPaths(path: string): readonly string[] {
  const [route = '', query] = path.split('?')
  const odd = [
    `/${route}`, `${route}/`, `${route}//`, `${route}/.`, `/.${route}`, `${route}%00`, `${route};x`, `${route}%20`,
    `${route}.json`, route.toUpperCase(), route.replaceAll('/', '//'), route.replaceAll('/', '/./'),
    route.replaceAll('/', '\\'), route.replace('/', '/%2e/'), `/x/..${route}`, `/x/%2e%2e${route}`,
    `/healthcheck/..${route}`, `/api/v1/status/..${route}`, `http://127.0.0.1${route}`,
    route.replace(/\/([a-z])/, (_, letter: string) => `/%${letter.charCodeAt(0).toString(16)}`),
  ] // biome-ignore format: a list read as a whole
  return query === undefined ? odd : odd.map((one) => `${one}?${query}`)
}

const verbs = ['HEAD', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND', 'get', 'POST', 'GET', 'PURGE']

export const run: Soak = async (scale) => {
  const violations = gatherViolations()
  const service = await prepareService()
  await service.start()
  let tried = 0
  for (const door of doors) {
    const wire = new Wire(service.ports[door.port], 5_000)
    const attempts = attemptsAt(door, service).filter((_, at) => scale >= 1 || at % Math.round(1 / scale) === 0)
    for (const request of attempts) {
      tried += 1
      const { status, body } = await wire.ask(request)
      if (!isRefusal(status)) {
        violations.add(`${door.name}: ${status} ${body.subarray(0, 100)} to ${JSON.stringify(request).slice(0, 300)}`)
      }
    }
    wire.close()
  }
  await service.stop()
  return { done: `${grouped(tried)} attempts`, facts: [], violations: violations.list() }
}

/** 503 is a surface that has no token to compare with; a connection that is closed admits no request either. */
function isRefusal(status: Answer['status']): boolean {
  if (typeof status === 'string') return status === 'broken'
  return status >= 400 && (status < 500 || status === 501 || status === 503)
}

function attemptsAt({ token, prefix, routes }: Door, service: Service): readonly WireRequest[] {
  const tokens = service.tokens()
  const others = Object.entries(tokens).flatMap(([name, value]) => (name === token ? [] : [value]))
  const right = tokens[token]
  return routes.flatMap((route): readonly WireRequest[] => {
    const [method = '', path = ''] = route.split(' ')
    const body = method === 'GET' ? {} : { body: '{}' }
    const json: Field = ['Content-Type', 'application/json']
    const target = `${prefix}${path}`
    const joint = target.includes('?') ? '&' : '?'
    const names = ['token', 'access_token', 'api_key', 'key', 'auth', 'authorization', 'ticket', 'bearer']
    return [
      ...wrongFields(right, others).map((fields) => ({ method, target, fields: [...fields, json], ...body })),
      ...names.map((name) => ({ method, target: `${target}${joint}${name}=${right}`, fields: [json], ...body })),
      ...oddPaths(target).map((odd) => ({ method, target: odd, fields: [json], ...body })),
      ...verbs.map((verb) => ({ method: verb, target, fields: [json] })),
    ]
  })
}
