/** The most expensive request that the bounds of each public path allow, and what it needs to be there first. */

import { connect } from 'node:http2'
import { setTimeout as sleep } from 'node:timers/promises'
import { encodeActionExecution } from '#streamnet/codec/payload.ts'
import { numeric, toTypedValue } from '#streamnet/codec/value.ts'
import { transactionToJson } from '#streamnet/rpc/transaction-json.ts'
import { createSyncSigner } from '#streamnet/signing/sync-signer.ts'
import type { ActionArg } from '#streamnet/types.ts'
import { signTransaction } from '#test/support/devnode.ts'
import type { Ports, Service, Tokens } from './service.ts'
import { Wire, type WireRequest } from './wire.ts'

/** One path at its worst. */
export interface WorstRequest {
  readonly path: string
  /** Sends it once. @returns what was answered, in a few words. */
  readonly ask: (service: Service) => Promise<string>
}

/** Wildcards with text between two `*`, none of which fits; the request decides how far each is searched. */
const wildcards = 9_000

/** Rules that make requests expensive: many wildcards with a middle, and a deep path. */
export const rules = [
  'domain: worst\ndescriptors:',
  ...Array.from({ length: wildcards }, (_, at) => `  - {key: p, value: "*/${at}/*z"}`),
  `  - {key: d, rate_limit: {unit: day, requests_per_unit: 1000000}}`,
  '',
].join('\n')

const slashes = '/'.repeat(7_990)
const searched = Array.from({ length: 120 }, (_, at) => ({ entries: [{ key: 'p', value: `${slashes}${at}z` }] }))
const searching = JSON.stringify({ domain: 'worst', descriptors: searched })
const decide = '/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit'

/** A field of a protobuf message that holds octets. */
function field(number: number, octets: Uint8Array): Buffer {
  const length: number[] = []
  for (let rest = octets.length; ; rest >>= 7) {
    length.push(rest > 127 ? (rest & 127) | 128 : rest)
    if (rest <= 127) break
  }
  return Buffer.concat([Buffer.from([(number << 3) | 2, ...length]), octets])
}

function framed(message: Uint8Array): Buffer {
  const head = Buffer.alloc(5)
  head.writeUInt32BE(message.length, 1)
  return Buffer.concat([head, message])
}

const text = (number: number, value: string) => field(number, Buffer.from(value))
const searchingMessage = Buffer.concat([
  text(1, 'worst'),
  ...searched.map(({ entries }) =>
    field(2, Buffer.concat(entries.map(({ key, value }) => field(1, Buffer.concat([text(1, key), text(2, value)]))))),
  ),
])
const emptyMessage = Buffer.concat([text(1, 'worst'), ...Array.from({ length: 500_000 }, () => Buffer.from([0x12, 0]))])

const json = ['content-type', 'application/json'] as const
const post = (target: string, body: unknown): WireRequest => ({
  method: 'POST',
  target,
  fields: [json],
  body: typeof body === 'string' ? body : JSON.stringify(body),
})
const rpc = (method: string, params: unknown) => post('/rpc/v1', { jsonrpc: '2.0', id: 1, method, params })

/** Sends one request over a new connection. */
async function send(service: Service, port: keyof Ports, request: WireRequest, token?: keyof Tokens): Promise<string> {
  const wire = new Wire(service.ports[port], 60_000)
  const fields = [...(request.fields ?? [])]
  if (token !== undefined) fields.push(['authorization', `Bearer ${service.tokens()[token]}`])
  const { status, headers, body } = await wire.ask({ ...request, fields })
  wire.close()
  const reason = headers.get('x-ratelimit-reason') ?? headers.get('grpc-message') ?? ''
  return `${status} ${reason || body.subarray(0, 400).toString()}`.replaceAll(/\s+/g, ' ')
}

/** One native gRPC call. */
function call({ ports }: Service, message: Uint8Array): Promise<string> {
  return new Promise((resolve) => {
    const session = connect(`http://127.0.0.1:${ports.grpc}`)
    const stream = session.request({
      ':method': 'POST',
      ':path': decide,
      'content-type': 'application/grpc',
      te: 'trailers',
    })
    let found = ''
    const note = (headers: Readonly<Record<string, unknown>>) => {
      if (headers['grpc-status'] !== undefined) found = `${headers['grpc-status']} ${headers['grpc-message'] ?? ''}`
    }
    stream.on('response', note)
    stream.on('trailers', note)
    stream.on('error', (error) => {
      found = found || error.message
    })
    stream.on('close', () => {
      session.close()
      resolve(decodeURIComponent(found).slice(0, 200))
    })
    stream.resume()
    stream.end(framed(message))
  })
}

const one = (path: string, port: keyof Ports, request: WireRequest, token?: keyof Tokens): WorstRequest => ({
  path,
  ask: (service) => send(service, port, request, token),
})
const grid = (path: string, request: WireRequest) => one(`grid, ${path}`, 'http', request, 'GRID_TOKEN')
const gateway = (path: string, request: WireRequest) => one(`gateway, ${path}`, 'http', request, 'STREAMNET_TOKEN')
const operator = (path: string, request: WireRequest) => one(`operator, ${path}`, 'debug', request, 'ADMIN_TOKEN')

const limit = 'rate_limit: {unit: minute, requests_per_unit: 3}'
const lines = (count: number, line: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => line(at)).join('')
const fileOf = (domain: string, body: string) => `domain: ${domain}\ndescriptors:\n${body}`
const put = (name: string, body: string): WireRequest => ({ method: 'PUT', target: `/config/files/${name}`, body })

const decisions: readonly WorstRequest[] = [
  one('/json, 120 values of 8,000 characters', 'http', post('/json', searching)),
  one(
    '/json, as much as the budget allows',
    'http',
    post('/json', {
      domain: 'worst',
      descriptors: Array.from({ length: 40 }, () => ({ entries: [{ key: 'p', value: '//z' }] })),
    }),
  ),
  one(
    '/json, 340,000 empty descriptors',
    'http',
    post('/json', `{"domain":"worst","descriptors":[${'{},'.repeat(340_000)}{}]}`),
  ),
  one(
    '/json, 256 descriptors of 64 entries',
    'http',
    post('/json', {
      domain: 'worst',
      descriptors: Array.from({ length: 256 }, (_, at) => ({
        entries: Array.from({ length: 64 }, (_, deep) => ({ key: `k${deep}`, value: `${at}` })),
      })),
    }),
  ),
  {
    path: '/json, 256 new counters',
    ask: (service) => {
      const prefix = performance.now()
      const descriptors = Array.from({ length: 256 }, (_, at) => ({
        entries: [{ key: 'd', value: `${prefix}-${at}` }],
      }))
      return send(service, 'http', post('/json', { domain: 'worst', descriptors }))
    },
  },
  one('gRPC-Web, 120 values of 8,000 characters', 'http', {
    method: 'POST', target: decide, fields: [['content-type', 'application/grpc-web+proto']], body: framed(searchingMessage),
  }), // biome-ignore format: one request
  one('gRPC-Web, 500,000 empty descriptors', 'http', {
    method: 'POST', target: decide, fields: [['content-type', 'application/grpc-web+proto']], body: framed(emptyMessage),
  }), // biome-ignore format: one request
  one('Connect, 120 values of 8,000 characters', 'http', post(decide, searching)),
  { path: 'native gRPC, 120 values of 8,000 characters', ask: (service) => call(service, searchingMessage) },
  { path: 'native gRPC, 500,000 empty descriptors', ask: (service) => call(service, emptyMessage) },
  operator('explain, 120 values of 8,000 characters', post('/explain', searching)),
  operator(
    'explain, many trials',
    post('/explain', {
      domain: 'worst',
      descriptors: Array.from({ length: 8 }, () => ({ entries: [{ key: 'p', value: 'x' }] })),
    }),
  ),
]

const uploads: readonly WorstRequest[] = [
  ...[50_000, 60_000].map((count) =>
    operator(
      `${count} mistakes`,
      put(
        'config.bad.yaml',
        fileOf(
          'bad',
          lines(count, () => '  - {a: 1}\n'),
        ),
      ),
    ),
  ),
  ...['{},', '{a},', '"",', '1,', '[1],', '&a 1,'].map((item) =>
    operator(`a file of many ${item}`, put('config.many.yaml', `domain: many\ndescriptors: [${item.repeat(66_000)}]`)),
  ),
  operator(
    'a file of 9,000 descriptors',
    put(
      'config.long.yaml',
      fileOf(
        'long',
        lines(9_000, (at) => `  - {key: k, value: v${at}, ${limit}}\n`),
      ),
    ),
  ),
  operator(
    'a file of 1 MB in blocks',
    put(
      'config.blocks.yaml',
      fileOf(
        'blocks',
        lines(
          10_000,
          (at) => `  - key: k\n    value: v${at}\n    rate_limit:\n      unit: minute\n      requests_per_unit: 3\n`,
        ),
      ),
    ),
  ),
  operator(
    'a list of 490,000 numbers',
    put('config.list.yaml', `domain: list\ndescriptors: [${'1,'.repeat(490_000)}]`),
  ),
  operator('one text of 900,000 quotes', put('config.quotes.yaml', '"'.repeat(900_000))),
  operator(
    'a set of 4 MB, 50,000 descriptors',
    post('/config/check', {
      files: Object.fromEntries(
        Array.from({ length: 6 }, (_, file) => [
          `config.s${file}.yaml`,
          fileOf(
            `s${file}`,
            lines(8_330, (at) => `  - {key: k, value: v${at}, ${limit}}\n`),
          ),
        ]),
      ),
    }),
  ),
  ...['/rlconfig', '/stats', '/metrics', '/config', '/config/files', '/counters', '/v1/usage', '/v1/top'].map(
    (target) => operator(target, { method: 'GET', target }),
  ),
  operator('what-if with 9,000 wildcards', post('/v1/what-if', { files: { 'config.worst.yaml': rules } })),
]

const simulation = '/simulations/worst/api/v1'
const fed = '/simulations/fed/api/v1'
const capture = (() => {
  const head = Buffer.from('d4c3b2a1020004000000000000000000ffff000001000000', 'hex')
  const record = Buffer.alloc(16 + 60)
  record.writeUInt32LE(60, 8)
  record.writeUInt32LE(60, 12)
  return Buffer.concat([head, ...Array.from({ length: 20_000 }, () => record)])
})()
const packet = (at: number) => ({
  timestamp: 1_700_000_000 + at,
  protocol: 'DNP3',
  status: 'attacked',
  attack_type: 'x',
  raw_b64: 'A'.repeat(300),
})
const named = (at: number) => ({ id: `n${at}`, node_type: 'rtu', label: `Node ${at}` })
const linked = (at: number) => ({ src_id: `n${at}`, dst_id: `n${(at * 7) % 500}`, protocol: 'DNP3' })

const grids: readonly WorstRequest[] = [
  grid('600 steps of case118', post(`${simulation}/sim/step`, { steps: 600 })),
  ...[
    'contingency?limit=500',
    'contingency?method=dc&limit=500',
    'fast-decoupled',
    'fast-decoupled?scheme=BX',
    'dc-estimation',
    'cascade?open=CB-8-9,CB-9-10,CB-4-5,CB-26-30,CB-38-65',
  ].map((query) => grid(`studies/${query}`, { method: 'GET', target: `${simulation}/studies/${query}` })),
  grid(
    'ingest/packets, 500',
    post(`${fed}/ingest/packets`, { source: 's', seq: 1, packets: Array.from({ length: 500 }, (_, at) => packet(at)) }),
  ),
  grid(
    'ingest/topology, 500 nodes and links',
    post(`${fed}/ingest/topology`, {
      nodes: Array.from({ length: 500 }, (_, at) => named(at)),
      links: Array.from({ length: 500 }, (_, at) => linked(at)),
    }),
  ),
  grid('ingest/topology, 130,000 mistakes', post(`${fed}/ingest/topology`, `{"nodes":[${'1,'.repeat(130_000)}1]}`)),
  grid('ingest/pcap, 20,000 frames', {
    method: 'POST',
    target: `${fed}/ingest/pcap`,
    fields: [['content-type', 'application/vnd.tcpdump.pcap']],
    body: capture,
  }),
  ...['stix', 'csv', 'pcap', 'pcapng', 'session', 'labels'].map((kind) =>
    grid(`export/${kind}`, { method: 'GET', target: `${simulation}/export/${kind}` }),
  ),
  grid(
    'score, 50,000 alerts',
    post(
      `${simulation}/score?tolerance=10000&grace=3600`,
      Array.from({ length: 50_000 }, (_, at) => JSON.stringify({ time: 1, frame: 1 + (at % 9_000), score: at })).join(
        '\n',
      ),
    ),
  ),
  grid('grid/view', { method: 'GET', target: `${simulation}/grid/view` }),
  grid('topology', { method: 'GET', target: `${simulation}/topology` }),
]

const provider = '0x691cb1645a4f21d879973b3a3b98a714fc1970d6'
const composed = 'st20e5c5a7f8492697f3c46a32eae2de'
const locator = { stream_id: composed, data_provider: provider }
const operation = (name: string, body: unknown) => gateway(name, post(`/streamnet/v1/${name}`, body))
const wide = `st${'9'.repeat(30)}`
const child = (at: number) => `st${String(at).padStart(30, '0')}`

/** The writer of signed transactions: a key that any program may use. */
const signer = createSyncSigner('5a'.repeat(32))
const signedStream = child(999)

/** A transaction with very many calls, made into a block with its broadcast. */
function transaction(
  path: string,
  action: string,
  count: number,
  args: (at: number) => readonly ActionArg[],
): WorstRequest {
  const calls = () => Array.from({ length: count }, (_, at) => args(at))
  return {
    path: `node, a transaction of ${path}`,
    ask: async (service) => broadcast(service, await nextNonce(service), action, calls()),
  }
}

async function broadcast(
  service: Service,
  nonce: number,
  action: string,
  calls: readonly (readonly ActionArg[])[],
): Promise<string> {
  const typed = calls.map((args) => args.map(toTypedValue))
  const payload = encodeActionExecution({ namespace: '', action, calls: typed })
  const tx = transactionToJson(signTransaction(signer, { chainId: 'sluice-dev', nonce, payload }))
  return send(service, 'node', rpc('user.broadcast', { tx, sync: 0 }))
}

async function nextNonce(service: Service): Promise<number> {
  const id = { identifier: signer.address.slice(2), key_type: 'secp256k1' }
  const answer = await send(service, 'node', rpc('user.account', { id, status: 1 }))
  return Number(/"nonce":(\d+)/.exec(answer)?.[1]) + 1
}

const streams: readonly WorstRequest[] = [
  operation('get_records', { ...locator, date_from: 0 }),
  operation('get_index', { ...locator, date_from: 0 }),
  operation('batch_stream_exists', { locators: Array.from({ length: 9_000 }, () => locator) }),
  operation('batch_filter_streams_by_existence', { locators: Array.from({ length: 9_000 }, () => locator) }),
  operation('list_streams', { limit: 5_000 }),
  gateway('1 MB of mistakes', post('/streamnet/v1/batch_stream_exists', `{"locators":[${'1,'.repeat(490_000)}1]}`)),
  gateway(
    '500,000 arguments',
    post('/streamnet/v1/call_procedure', `{"procedure":"get_record","args":[${'1,'.repeat(490_000)}1]}`),
  ),
  operation('call_procedure', { procedure: 'get_record', args: Array.from({ length: 49_000 }, () => ({})) }),
  gateway(
    '1 MB of arguments that are objects',
    post('/streamnet/v1/call_procedure', `{"procedure":"get_record","args":[${'{},'.repeat(330_000)}1]}`),
  ),
  operation('decode_market_data', { query_components: `0x${'00'.repeat(490_000)}` }),
  operation('parse_attestation_payload', { payload: `0x${'00'.repeat(490_000)}` }),
  ...[
    { date: 1, value: '1.5' },
    { date: 'x', value: [] },
  ].map((record) =>
    operation('insert_all', {
      batches: [{ stream_id: wide, inputs: Array.from({ length: 25_000 }, (_, at) => ({ ...record, date: at })) }],
    }),
  ),
  one(
    'node, user.broadcast of 6 MB',
    'node',
    rpc('user.broadcast', { tx: { body: { payload: 'A'.repeat(5_900_000) } } }),
  ),
  one(
    'node, 6 MB of a list',
    'node',
    post('/rpc/v1', `{"jsonrpc":"2.0","id":1,"method":"user.ping","params":[${'1,'.repeat(2_900_000)}1]}`),
  ),
  ...[499_000, 1_900_000].map((count) =>
    one(`node, a batch of ${count}`, 'node', post('/rpc/v1', `[${'{},'.repeat(count)}1]`)),
  ),
  ...[100, 200, 300, 400, 500].flatMap((to) => [
    one(
      `node, local composed of 200 children, ${to} records each`,
      'admin',
      rpc('local.get_record', { stream_id: wide, from_time: 0, to_time: to }),
    ),
    one(
      `node, local index of 200 children, ${to} records each`,
      'admin',
      rpc('local.get_index', { stream_id: wide, from_time: 1, to_time: to, base_time: 1 }),
    ),
  ]),
  // One second after the other: a time that is there at the same height is refused.
  {
    path: 'node, local.insert_records of 5,600',
    ask: (service) =>
      send(
        service,
        'admin',
        rpc('local.insert_records', manyRecords(child(1), 5_600, Math.floor(performance.now()) * 10_000)),
      ),
  },
  transaction('1,650 calls that write', 'insert_record', 1_650, (at) => [
    signer.address,
    signedStream,
    at + Math.floor(performance.now()) * 10_000,
    numeric('1.5'),
  ]),
  transaction('600 calls of ten records', 'insert_records', 600, (at) => {
    const from = at * 10 + Math.floor(performance.now()) * 10_000
    const ten = Array.from({ length: 10 }, (_, index) => index)
    return [ten.map(() => signer.address), ten.map(() => signedStream), ten.map((index) => from + index), numeric(ten)]
  }),
  transaction('2,050 calls that read', 'get_record', 2_050, () => [signer.address, signedStream, 0, 1, null]),
  transaction('1.8 MB of calls beyond the budget', 'get_record', 5_400, () => [
    signer.address,
    signedStream,
    0,
    1,
    null,
  ]),
  transaction('310 new streams', 'create_stream', 310, (at) => [
    child(Math.floor(performance.now()) * 1_000 + at),
    'primitive',
  ]),
  {
    path: 'node, a block of 2,000 waiting transactions',
    async ask(service) {
      await send(service, 'admin', rpc('dev.setAutomine', { enabled: false }))
      const nonce = await nextNonce(service)
      const from = Math.floor(performance.now()) * 10_000
      for (let at = 0; at < 2_000; at++) {
        const args = [signer.address, signedStream, from + at, numeric('1.5')]
        const answer = await broadcast(service, nonce + at, 'insert_record', [args])
        if (answer.includes('"error"')) return answer
      }
      await send(service, 'admin', rpc('dev.setAutomine', { enabled: true }))
      for (let attempt = 0; ; attempt++) {
        const status = await send(service, 'admin', rpc('dev.status', {}))
        if (status.includes('"waiting":0')) return status
        if (attempt === 1_000) throw new Error(`Cannot wait for the blocks: ${status}`)
        await sleep(20)
      }
    },
  },
  one('node, dev.mine of 1,000 blocks', 'admin', rpc('dev.mine', { blocks: 1000 })),
  one(
    'node, local.insert_taxonomy of 12,000',
    'admin',
    rpc('local.insert_taxonomy', {
      stream_id: wide,
      child_stream_ids: Array.from({ length: 12_000 }, (_, at) => child(at)),
      weights: Array.from({ length: 12_000 }, () => '1'),
      start_date: 0,
    }),
  ),
  one(
    'node, local.insert_records of 40,000',
    'admin',
    rpc('local.insert_records', manyRecords(child(1), 40_000, 100_000)),
  ),
]

function manyRecords(streamId: string, count: number, from: number) {
  const all = Array.from({ length: count }, (_, at) => at)
  return {
    stream_id: all.map(() => streamId),
    event_time: all.map((at) => from + at),
    value: all.map((at) => `${at}.5`),
  }
}

/** Every path. */
export const worstRequests: readonly WorstRequest[] = [...decisions, ...uploads, ...grids, ...streams]

/** Makes what the requests need: two simulations, and a local stream of 200 children with 500 records each. */
export async function prepare(service: Service): Promise<void> {
  const make = async (port: keyof Ports, request: WireRequest, token?: keyof Tokens) => {
    const answer = await send(service, port, request, token)
    if (!answer.startsWith('20') || answer.includes('"error"')) throw new Error(`Cannot prepare: ${answer}`)
  }
  const local = (method: string, params: unknown) => make('admin', rpc(`local.${method}`, params))
  for (const [name, mode] of Object.entries({ worst: 'embedded', fed: 'external' })) {
    const body = { name, configuration: { case: 'case118', pmu_rate: 30, mode } }
    await make('http', post('/api/v1/simulations', body), 'GRID_TOKEN')
  }
  await make('http', post(`${simulation}/sim/step`, { steps: 600 }), 'GRID_TOKEN')
  await local('create_stream', { stream_id: wide, stream_type: 'composed' })
  const children = Array.from({ length: 200 }, (_, at) => child(at))
  for (const id of children) {
    await local('create_stream', { stream_id: id, stream_type: 'primitive' })
    await local('insert_records', manyRecords(id, 500, 1))
  }
  const weights = children.map(() => '1')
  await local('insert_taxonomy', { stream_id: wide, child_stream_ids: children, weights, start_date: 0 })
  await make('admin', rpc('dev.grantRole', { wallet: signer.address }))
  const created = await broadcast(service, await nextNonce(service), 'create_stream', [[signedStream, 'primitive']])
  if (!created.includes('tx_hash')) throw new Error(`Cannot prepare: ${created}`)
}
