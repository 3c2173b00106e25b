/** Savings of the short ways to read requests and write answers beside the protobuf library, by message. */

import { toJson } from '@bufbuild/protobuf'
import { decodeAnyRequest, encodeAnyResponse, encodeRequest } from '#proto-json/binary.ts'
import { readWireRequest } from '#proto-json/fast-binary.ts'
import { writeWireResponse } from '#proto-json/fast-binary-response.ts'
import { readPlainRequest } from '#proto-json/fast-json.ts'
import { writePlainResponse } from '#proto-json/fast-json-response.ts'
import { RateLimitResponseSchema } from '#proto-json/gen/ratelimit_pb.ts'
import { readAnyRequest, writeRequest } from '#proto-json/json.ts'
import { toResponseMessage } from '#proto-json/ratelimit-v3.ts'
import type { RateLimitRequest, RateLimitResponse } from '#ratelimit/types.ts'
import { interleave, middle, printTable, ratioText, type Sample } from './report.ts'

const rounds = Number(process.env.BENCH_ROUNDS ?? 15)

const request: RateLimitRequest = {
  domain: 'shop',
  descriptors: [
    {
      entries: [
        { key: 'tenant', value: 't1' },
        { key: 'path', value: '/a' },
      ],
    },
  ],
  hitsAddend: 1,
}
const response: RateLimitResponse = {
  overallCode: 'OK',
  statuses: [
    { code: 'OK', currentLimit: { requestsPerUnit: 100, unit: 'MINUTE' }, limitRemaining: 99, secondsUntilReset: 30 },
  ],
  responseHeadersToAdd: [],
}
const [text, bytes] = [writeRequest(request), encodeRequest(request)]

/** Every pair: the short way and the long way of the same message. */
const pairs: Readonly<Record<string, readonly [short: () => unknown, long: () => unknown]>> = {
  'read JSON': [() => readPlainRequest(text), () => readAnyRequest(text)],
  'write JSON': [
    () => writePlainResponse(response),
    () => JSON.stringify(toJson(RateLimitResponseSchema, toResponseMessage(response))),
  ],
  'read protobuf': [() => readWireRequest(bytes), () => decodeAnyRequest(bytes)],
  'write protobuf': [() => writeWireResponse(response), () => encodeAnyResponse(response)],
}

/** Runs for a moment and counts. */
async function measure(run: () => unknown): Promise<Sample> {
  const start = performance.now()
  let turns = 0
  while (performance.now() - start < 20) for (let inner = 0; inner < 100; inner++, turns++) run()
  const perSecond = (turns / (performance.now() - start)) * 1000
  return { perSecond, micros: 1e6 / perSecond }
}

const runs = Object.entries(pairs).flatMap(([name, [short, long]]) => [
  [`${name}, short way`, () => measure(short)] as const,
  [`${name}, library`, () => measure(long)] as const,
])
for (const [, run] of runs) await run()
const samples = await interleave(rounds, new Map(runs))
printTable(
  ['one descriptor of two entries', 'short way', 'library', 'short way beside library', 'aim'],
  Object.keys(pairs).map((name) => [
    name,
    `${middle(samples, `${name}, short way`, 'micros').toFixed(2)} µs`,
    `${middle(samples, `${name}, library`, 'micros').toFixed(2)} µs`,
    ratioText(samples, `${name}, short way`, `${name}, library`, 'micros'),
    '3',
  ]),
)
process.exit(0)
