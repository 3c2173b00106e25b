/** Every parser that reads octets or text of strangers, each with valid inputs to start from. */

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { encodeBase64 } from '#base/base64.ts'
import { parseExactJson } from '#base/canonical-json.ts'
import { CodedError } from '#base/errors.ts'
import type { Random } from '#base/random.ts'
import { projectRoot } from '#bin/project.ts'
import { parseNodeSettings } from '#devnode/settings.ts'
import { entries } from '#gateway/entries.ts'
import { parseJson } from '#gateway/json.ts'
import { readParams } from '#gateway/params.ts'
import { readQuery } from '#gateway/query.ts'
import { parseGrants } from '#gateway/tokens.ts'
import { readCapture } from '#grid/export/read-capture.ts'
import * as attackRequests from '#grid/interface/attack-requests.ts'
import * as ingestRequests from '#grid/interface/ingest-requests.ts'
import * as gridRequests from '#grid/interface/requests.ts'
import { protocolNames, protocols } from '#grid/protocols/catalogue.ts'
import { decodeDnp3Fragment } from '#grid/protocols/dnp3-fragment.ts'
import { decodeAnyRequest, decodeRequest, encodeRequest } from '#proto-json/binary.ts'
import { decodeBase64Text } from '#proto-json/grpc-web/base64-text.ts'
import { decodeFrames, encodeFrame } from '#proto-json/grpc-web/frame.ts'
import { parseTimeout } from '#proto-json/grpc-web/timeout.ts'
import { decodeTrailers } from '#proto-json/grpc-web/trailer.ts'
import { readRequest, readRequestBytes } from '#proto-json/json.ts'
import { answerReflection } from '#proto-json/reflection.ts'
import { readAnswers } from '#ratelimit/memcache/text.ts'
import { readReplies } from '#ratelimit/redis/resp.ts'
import { readSettings } from '#ratelimit/settings.ts'
import { parseAttestationPayload, verifyAttestationSignature } from '#streamnet/attestation.ts'
import { decodeComponents, decodeDataPoints, encodeDataPoints } from '#streamnet/codec/abi.ts'
import * as payload from '#streamnet/codec/payload.ts'
import { toTypedValue } from '#streamnet/codec/value.ts'
import { decodeValue, encodeValue } from '#streamnet/codec/value-bytes.ts'
import { parseAddress } from '#streamnet/ids.ts'
import { decodeMarketData } from '#streamnet/market-data.ts'
import { checkRules } from '#test/support/compile-rules.ts'
import { dissect } from '#test/support/dissect.ts'
import { encodeRawStatement, encodeTransfer } from '#test/support/payloads.ts'
import { pick } from './mutate.ts'

/** One parser. */
export interface Parser {
  readonly name: string
  readonly seeds: readonly Uint8Array[]
  /** Reads an input; throws an error of the project's own, or of `refusals`, when it refuses it. */
  readonly read: (octets: Uint8Array, random: Random) => unknown
  /** Error classes of the platform that callers of this parser expect. */
  readonly refusals?: readonly string[]
}

/** Checks that an error is a refusal that callers of the parser turn into a clear answer. */
export function isRefusal({ refusals = [] }: Parser, error: unknown): boolean {
  if (error instanceof CodedError) return true
  return error instanceof Error && refusals.includes(error.constructor.name)
}

const utf8 = new TextEncoder()
const text = (octets: Uint8Array) => Buffer.from(octets).toString('utf8')
const octetsOf = (...texts: readonly string[]) => texts.map((one) => utf8.encode(one))
const zeros = (length: number) => [new Uint8Array(length)]
const vectors = <T>(name: string): T => JSON.parse(readFileSync(join(projectRoot, 'test/vectors', name), 'utf8')) as T

const request = encodeRequest({
  domain: 'shop',
  descriptors: [
    {
      entries: [
        { key: 'login', value: 'me' },
        { key: 'a', value: 'b' },
      ],
    },
  ],
  hitsAddend: 3,
})
const requestTexts = octetsOf(
  '{"domain":"shop","descriptors":[{"entries":[{"key":"login","value":"me"}],"limit":{"requestsPerUnit":5,"unit":"MINUTE"},"hitsAddend":"7"}],"hitsAddend":1}',
  '{"domain":"\\u0041\\ud83d\\ude00","descriptors":[{"entries":[{"key":"k","value":""}],"limit":{"requests_per_unit":4294967295,"unit":3}}],"hits_addend":"1e0"}',
)
const rules = readdirSync(join(projectRoot, 'examples/ratelimit/config'))
  .filter((name) => /\.ya?ml$/.test(name))
  .map((name) => new Uint8Array(readFileSync(join(projectRoot, 'examples/ratelimit/config', name))))
const args = ['text', 7, true, null, new Uint8Array([1, 2]), ['a', null], [1, 2]].map((arg) => toTypedValue(arg))
const call = { namespace: 'main', action: 'get_record', args }
const execution = { namespace: 'main', action: 'insert_records', calls: [args, args] }

/** Golden frames, whole and the parts that each protocol's decoder reads. */
const frames = Object.values(vectors<Record<string, unknown>>('grid-frames.json')).flatMap(hexOf)

/** Every text of hexadecimal octets somewhere below a value. */
function hexOf(value: unknown): readonly Uint8Array[] {
  if (typeof value === 'string') {
    const hex = value.replaceAll(/\s/g, '')
    return /^(?:[0-9a-f]{2}){8,}$/i.test(hex) ? [new Uint8Array(Buffer.from(hex, 'hex'))] : []
  }
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(hexOf) : []
}

const operations = octetsOf(
  '{"stream_id":"staaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","data_provider":"0x1111111111111111111111111111111111111111","date_from":1,"date_to":2,"frozen_at":3}',
  '{"batches":[{"stream_id":"staaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","inputs":[{"date":1,"value":"1.5"}]}],"batch_size":10}',
  '{"procedure":"p","args":[{"numeric":"1.5","precision":36},{"bytea":"0x00"},{"uuid":"00000000-0000-4000-8000-000000000000"},[1,"2",null]]}',
  '{"stream_id":"staaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","child_streams":{"staaaaaaaaaaaaaaaaaaaaaaaaaaaaab":0.5},"constructor":1}',
)
const gridBodies = octetsOf(
  '{"type":"NOISE","params":{"noise_std":3},"schedule":{"start_s":1},"seed":1}',
  '{"source":"s","seq":0,"packets":[{"timestamp":1,"protocol":"DNP3","status":"clean","raw_b64":"AAAA","original_val":{"a":[1,{"b":null}]}}]}',
  '{"nodes":[{"id":"a","node_type":"x"}],"links":[{"src_id":"a","dst_id":"a"}]}',
  '{"case":"case14","seed":1,"day":"weekday"}',
  '{"running":true,"integrations":{"pcap":true}}',
)
const gridReaders = [
  attackRequests.parseAttackEnable,
  attackRequests.parseAttackDisable,
  gridRequests.parseConfiguration,
  ingestRequests.parsePacketBatch,
  ingestRequests.parseTopology,
  ingestRequests.parseExternalStatus,
  gridRequests.parseSpeed,
  gridRequests.parseSteps,
  gridRequests.parseSwitch,
  gridRequests.parseLoad,
]

/** `NAME=VALUE` lines as variables. */
function variables(octets: Uint8Array): Readonly<Record<string, string>> {
  return Object.fromEntries(
    text(octets)
      .split('\n')
      .map((line) => [line.slice(0, Math.max(0, line.indexOf('='))), line.slice(line.indexOf('=') + 1)]),
  )
}

/** All parsers of the three surfaces. */
export const parsers: readonly Parser[] = [
  { name: 'rate limit request, protobuf', seeds: [request], read: decodeRequest },
  { name: 'rate limit request, any protobuf', seeds: [request], read: decodeAnyRequest },
  { name: 'rate limit request, JSON text', seeds: requestTexts, read: (octets) => readRequest(text(octets)) },
  { name: 'rate limit request, JSON octets', seeds: requestTexts, read: readRequestBytes },
  {
    name: 'server reflection',
    seeds: [new Uint8Array([0x3a, 0]), new Uint8Array([0x22, 4, 97, 46, 98, 99])],
    read: answerReflection,
  },
  { name: 'gRPC-Web frames', seeds: [encodeFrame(0, request)], read: (octets) => decodeFrames(octets, 100_000) },
  { name: 'gRPC-Web trailers', seeds: octetsOf('grpc-status: 0\r\ngrpc-message: a%20b\r\n'), read: decodeTrailers },
  { name: 'gRPC-Web text', seeds: octetsOf(encodeBase64(request)), read: (octets) => decodeBase64Text(text(octets)) },
  { name: 'gRPC timeout', seeds: octetsOf('1S', '100m', '99999999H'), read: (octets) => parseTimeout(text(octets)) },
  { name: 'rate limit rules', seeds: rules, read: (octets) => checkRules([{ key: 'config.a', text: text(octets) }]) },
  {
    name: 'rate limit settings',
    seeds: octetsOf(
      'NEAR_LIMIT_RATIO=0.8\nFAILURE_POLICY=error,shop=open\nREDIS_URL=a:1\nGRPC_MAX_CONNECTION_AGE=1h2m',
    ),
    read: (octets) => readSettings(variables(octets)),
  },
  {
    name: 'Redis replies',
    seeds: octetsOf('*2\r\n:1\r\n$3\r\nabc\r\n+OK\r\n-ERR x\r\n$-1\r\n'),
    read: readReplies,
    refusals: ['TypeError'],
  },
  {
    name: 'memcached answers',
    seeds: octetsOf('VALUE k 0 2 17\r\n12\r\nEND\r\nSTORED\r\nNOT_FOUND\r\n7\r\n'),
    read: readAnswers,
    refusals: ['TypeError'],
  },
  { name: 'call payload', seeds: [payload.encodeActionCall(call)], read: payload.decodeActionCall },
  { name: 'execution payload', seeds: [payload.encodeActionExecution(execution)], read: payload.decodeActionExecution },
  {
    name: 'transfer payload',
    seeds: [encodeTransfer({ to: parseAddress(`0x${'11'.repeat(20)}`), amount: 12345678901234567890n })],
    read: payload.decodeTransfer,
  },
  {
    name: 'statement payload',
    seeds: [encodeRawStatement({ statement: 'SELECT 1', parameters: [] })],
    read: payload.decodeRawStatement,
  },
  { name: 'typed value', seeds: args.map((arg) => encodeValue(arg)), read: decodeValue },
  { name: 'attestation', seeds: zeros(160), read: parseAttestationPayload },
  { name: 'attestation signature', seeds: zeros(220), read: verifyAttestationSignature },
  { name: 'query components', seeds: zeros(320), read: decodeComponents },
  { name: 'market data', seeds: zeros(320), read: decodeMarketData },
  { name: 'data points', seeds: [encodeDataPoints([[1n, 2n]])], read: decodeDataPoints },
  {
    name: 'gateway parameters',
    seeds: operations,
    read: (octets, random) => readParams(pick(random, entries), parseJson(text(octets))),
  },
  {
    name: 'gateway query',
    seeds: octetsOf('stream_id=sta&date_from=1&limit=3&wallets=%5B1%5D&args=1'),
    read: (octets, random) => {
      const entry = pick(random, entries)
      return readParams(entry, readQuery(entry, new URLSearchParams(text(octets))))
    },
  },
  {
    name: 'gateway tokens',
    seeds: octetsOf(
      '[{"name":"a","token":"0123456789abcdef","scopes":["read","write:0x1111111111111111111111111111111111111111"]}]',
    ),
    read: (octets) => parseGrants(text(octets)),
  },
  {
    name: 'node settings',
    seeds: octetsOf('STREAMNET_MODE=open\nSTREAMNET_MANAGERS=0x1111111111111111111111111111111111111111'),
    read: (octets) => parseNodeSettings(variables(octets)),
    refusals: ['VariableError'],
  },
  {
    name: 'exact JSON',
    seeds: [...requestTexts, ...octetsOf('{"a":1.50,"b":[1e5,-0,12345678901234567890]}')],
    read: (octets) => parseExactJson(text(octets)),
    refusals: ['SyntaxError'],
  },
  { name: 'frame', seeds: frames, read: (octets) => dissect(octets) },
  ...protocolNames.map((name) => ({
    name,
    seeds: frames,
    read: (octets: Uint8Array) =>
      [true, false].map((isRequest) => protocols[name].decode(octets, isRequest, undefined)),
  })),
  { name: 'DNP3 fragment', seeds: frames, read: decodeDnp3Fragment },
  { name: 'capture file', seeds: zeros(24), read: (octets) => readCapture(octets) },
  {
    name: 'grid bodies',
    seeds: gridBodies,
    read: (octets, random) => pick(random, gridReaders)(JSON.parse(text(octets))),
    refusals: ['SyntaxError'],
  },
]
