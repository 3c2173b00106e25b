/** Valid requests of every surface, and which answers its contract knows. */

import type { Ports, Tokens } from './service.ts'
import type { Answer, WireRequest } from './wire.ts'

/** One surface as a fuzzer meets it. */
export interface SurfaceRequests {
  readonly name: string
  readonly port: keyof Ports
  readonly token?: keyof Tokens
  readonly requests: readonly WireRequest[]
  readonly statuses: readonly number[]
  /** A status beside those that the contract knows for this very answer. */
  readonly isExpected?: (answer: Answer, request: WireRequest) => boolean
}

const address = '0x691cb1645a4f21d879973b3a3b98a714fc1970d6'
const streamId = 'st20e5c5a7f8492697f3c46a32eae2de'
const otherId = `st${'f'.repeat(30)}`
const json = ['content-type', 'application/json'] as const
const decision =
  '{"domain":"shop","descriptors":[{"entries":[{"key":"login","value":"me"},{"key":"path","value":"/a"}],"limit":{"requestsPerUnit":5,"unit":"MINUTE"},"hitsAddend":"2"}],"hitsAddend":1}'
const message = Buffer.from('0a0473686f7012110a0f0a056c6f67696e12066d656d656d65', 'hex')
const framed = Buffer.concat([Buffer.from([0, 0, 0, 0, message.length]), message])
const decide = '/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit'
const rules = 'domain: fuzz\ndescriptors:\n  - key: b\n    rate_limit: {unit: minute, requests_per_unit: 1}\n'

const get = (target: string): WireRequest => ({ method: 'GET', target })
const post = (target: string, body: unknown): WireRequest => ({
  method: 'POST',
  target,
  fields: [json],
  body: typeof body === 'string' ? body : JSON.stringify(body),
})
const typed = (target: string, type: string, body: string | Uint8Array): WireRequest => ({
  method: 'POST',
  target,
  fields: [['content-type', type]],
  body,
})
const rpc = (target: string, method: string, params: unknown = {}) =>
  post(target, { jsonrpc: '2.0', id: 1, method, params })
const operation = (name: string, body: unknown) => post(`/streamnet/v1/${name}`, body)

const transaction = {
  signature: { sig: Buffer.alloc(65, 1).toString('base64'), type: 'secp256k1_ep' },
  body: { desc: '', payload: 'AAAAAABtYWluAAAAAA==', type: 'execute', fee: '0', nonce: 1, chain_id: 'sluice-dev' },
  sender: address.slice(2),
  serialization: 'concat',
}

/** The rate limiter's decisions, in JSON and in every dialect of gRPC over HTTP/1.1. */
const decisions: SurfaceRequests = {
  name: 'decisions',
  port: 'http',
  requests: [
    post('/json', decision),
    typed('/json', 'text/plain', decision),
    get('/json'),
    get('/healthcheck'),
    typed(decide, 'application/grpc-web+proto', framed),
    typed(decide, 'application/grpc-web-text', framed.toString('base64')),
    typed(decide, 'application/json', decision),
    typed(decide, 'application/proto', message),
    typed(decide, 'application/grpc', framed),
    typed('/grpc.health.v1.Health/Check', 'application/grpc-web+proto', new Uint8Array(5)),
    post('/grpc.health.v1.Health/Check', { service: 'ratelimit' }),
    {
      method: 'OPTIONS',
      target: decide,
      fields: [
        ['origin', 'http://a'],
        ['access-control-request-method', 'POST'],
      ],
    },
  ],
  statuses: [200, 204, 400, 404, 405, 408, 413, 414, 415, 421, 422, 429, 431, 501],
  // UNKNOWN, as Connect and Envoy's reverse bridge write what the reference answers to such a request.
  isExpected: ({ status, body, headers }) =>
    status === 500 && (/"code":"unknown"/.test(body.toString()) || headers.has('x-grpc-message')),
}

const operator: SurfaceRequests = {
  name: 'operator plane',
  port: 'debug',
  token: 'ADMIN_TOKEN',
  requests: [
    post('/explain', decision),
    get('/counters?domain=shop&entry=login=me'),
    get('/counters?key=a'),
    { method: 'PUT', target: '/counters?key=fuzz&seconds=1' },
    { method: 'DELETE', target: '/counters?key=fuzz' },
    get('/config'),
    get('/config/files'),
    get('/config/revisions/1'),
    post('/config/check', { files: { 'config.a': rules } }),
    post('/config/rollback', { revision: 1 }),
    { method: 'PUT', target: '/config/files/config.fuzz.yaml', fields: [['from', 'fuzz']], body: rules },
    get('/stats'),
    get('/metrics'),
    get('/rlconfig'),
  ],
  statuses: [200, 400, 401, 404, 405, 409, 412, 413, 414, 415, 421, 422, 431, 501],
}

const grid: SurfaceRequests = {
  name: 'grid',
  port: 'http',
  token: 'GRID_TOKEN',
  requests: [
    get('/api/v1/status'),
    get('/api/v1/incidents?limit=5&proto=DNP3'),
    get('/api/v1/packets/recent?limit=-3'),
    get('/api/v1/attacks/current'),
    get('/api/v1/topology'),
    post('/simulations/fuzz/api/v1/attack/enable', {
      type: 'NOISE',
      params: { noise_std: 3 },
      schedule: { start_s: 1, duration_s: 2 },
      seed: 7,
    }),
    post('/simulations/fuzz/api/v1/attack/disable', { type: 'NOISE', attack_id: 'NOISE-1' }),
    post('/simulations/fuzz/api/v1/sim/speed', { speed: 2 }),
    post('/simulations/fuzz/api/v1/sim/step', { steps: 2 }),
    post('/simulations/fuzz/api/v1/grid/breaker', { breaker: 'line-1-2', closed: false }),
    post('/simulations/fuzz/api/v1/grid/load', { scale: 1.1 }),
    post('/simulations/fuzz/api/v1/grid/join', { breaker: 'line-1-2', closing: 'forced' }),
    post('/simulations/fuzz/api/v1/grid/generator', { bus: 2, connected: false, p_mw: 50, v_pu: 1.02 }),
    post('/simulations/fuzz/api/v1/grid/acknowledge', { numbers: [1, 2] }),
    post('/simulations/fuzz/api/v1/grid/tap', { breaker: 'CB-4-9', position: -2 }),
    post('/simulations/fuzz/api/v1/grid/restore', { bus: 9, share: 0.5 }),
    post('/simulations/fuzz/api/v1/scenario', { name: 'forged-command', start: false }),
    post('/simulations/fuzz/api/v1/sim/config', { case: 'case14', seed: 1, pmu_rate: 30 }),
    post('/simulations/fed/api/v1/ingest/packets', {
      source: 's',
      seq: 1,
      packets: [{ timestamp: 1700000000, protocol: 'DNP3', status: 'attacked', attack_type: '=1+1', raw_b64: 'AAEC' }],
    }),
    post('/simulations/fed/api/v1/ingest/topology', {
      nodes: [{ id: 'a', node_type: 'x', label: 'y' }],
      links: [{ src_id: 'a', dst_id: 'a', protocol: 'DNP3' }],
    }),
    post('/simulations/fed/api/v1/ingest/status', { running: true, uptime_s: 1, integrations: { pcap: true } }),
    typed(
      '/simulations/fed/api/v1/ingest/pcap',
      'application/vnd.tcpdump.pcap',
      Buffer.from('d4c3b2a1020004000000000000000000ffff000001000000000000000000000004000000040000000102030400', 'hex'),
    ),
    get('/simulations/fed/api/v1/export/csv?columns=extended'),
    get('/simulations/fed/api/v1/export/stix'),
  ],
  statuses: [200, 201, 204, 400, 401, 404, 405, 409, 413, 414, 415, 421, 429, 431, 501],
  // The interface description's own answer to a limit that is not an integer; HEAD has no text.
  isExpected: ({ status, body }, { method, target }) =>
    status === 500 && (body.includes('invalid literal for int') || (method === 'HEAD' && /[?&]limit=/.test(target))),
}

const gateway: SurfaceRequests = {
  name: 'gateway',
  port: 'http',
  token: 'STREAMNET_TOKEN',
  requests: [
    get('/streamnet/v1/list_streams?limit=3'),
    get(`/streamnet/v1/get_records?stream_id=${streamId}&data_provider=${address}&date_from=1700000000`),
    get(`/streamnet/v1/get_index?stream_id=${streamId}&data_provider=${address}&base_date=1700000000`),
    get(`/streamnet/v1/get_type?stream_id=${streamId}&data_provider=${address}`),
    get('/streamnet/v1/generate_stream_id?name=x'),
    get('/streamnet/v1/jobs'),
    get('/streamnet/v1/jobs/x'),
    get('/streamnet/v1/get_current_account'),
    operation('batch_stream_exists', { locators: [{ stream_id: streamId, data_provider: address }] }),
    operation('call_procedure', { procedure: 'get_record', args: [address, streamId, null, null, null] }),
    operation('insert_records', { stream_id: otherId, records: [{ date: 1, value: '1.5' }], wait: false }),
    operation('set_taxonomy', { stream_id: otherId, child_streams: { [streamId]: 0.5 }, wait: false }),
    operation('insert_all', { batches: [{ stream_id: otherId, inputs: [] }] }),
    operation('decode_market_data', { query_components: `0x${'00'.repeat(96)}` }),
    operation('parse_attestation_payload', { payload: `0x${'00'.repeat(96)}` }),
    operation('are_members_of', { owner: 'system', role_name: 'network_writer', wallets: [address] }),
    { method: 'DELETE', target: '/streamnet/v1/jobs/x' },
  ],
  statuses: [200, 202, 304, 400, 401, 403, 404, 405, 409, 413, 414, 415, 421, 422, 429, 431, 501],
}

const methods = ['user.version', 'user.health', 'user.chain_info', 'user.num_accounts', 'user.ping']
const chainMethods = ['chain.block', 'chain.block_result', 'chain.tx', 'chain.genesis', 'chain.validators']

const node: SurfaceRequests = {
  name: 'node',
  port: 'node',
  requests: [
    ...[...methods, ...chainMethods].map((method) => rpc('/rpc/v1', method, { height: 1, hash: 'ab', message: 'x' })),
    rpc('/rpc/v1', 'user.account', { id: { identifier: address.slice(2), key_type: 'secp256k1' }, status: 0 }),
    rpc('/rpc/v1', 'user.broadcast', { tx: transaction, sync: 0 }),
    rpc('/rpc/v1', 'user.estimate_price', { tx: transaction }),
    rpc('/rpc/v1', 'user.tx_query', { tx_hash: '00'.repeat(32) }),
    rpc('/rpc/v1', 'user.call', {
      body: { payload: 'AAAAAABtYWlu', challenge: null },
      auth_type: 'secp256k1_ep',
      sender: address.slice(2),
      signature: null,
    }),
    get('/api/v1/health'),
    get('/spec/v1'),
  ],
  statuses: [200, 400, 404, 405, 413, 414, 415, 421, 431, 501],
}

const admin: SurfaceRequests = {
  name: "node's operator",
  port: 'admin',
  requests: [
    rpc('/rpc/v1', 'dev.status'),
    rpc('/rpc/v1', 'dev.failNext', { method: 'user.nothing', error: 'mempool_full', times: 1 }),
    rpc('/rpc/v1', 'local.create_stream', { stream_id: `st${'c'.repeat(30)}`, stream_type: 'primitive' }),
    rpc('/rpc/v1', 'local.insert_records', { stream_id: [`st${'c'.repeat(30)}`], event_time: [1], value: ['1.5'] }),
    rpc('/rpc/v1', 'local.get_record', { stream_id: `st${'c'.repeat(30)}`, from_time: 0, to_time: 10 }),
    rpc('/rpc/v1', 'local.get_index', { stream_id: `st${'c'.repeat(30)}`, base_time: 1 }),
    rpc('/rpc/v1', 'local.list_streams'),
    rpc('/rpc/v1', 'local.insert_taxonomy', {
      stream_id: `st${'d'.repeat(30)}`,
      child_stream_ids: [`st${'c'.repeat(30)}`],
      weights: ['1'],
      start_date: 0,
    }),
  ],
  statuses: [200, 400, 404, 405, 413, 414, 415, 421, 431, 501],
  // The node's own refusals of local streams are internal errors of JSON-RPC with their reason. A request with an
  // origin comes from a page, and pages may not use this port.
  isExpected: ({ status, body }) =>
    (status === 403 && body.includes('not open to pages')) ||
    (status === 500 && /-32603/.test(body.toString()) && !/internal server error/.test(body.toString())),
}

/** Every surface. */
export const surfaces: readonly SurfaceRequests[] = [decisions, operator, grid, gateway, node, admin]
