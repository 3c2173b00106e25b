/** Mangled bodies: the answer to each is a decision or Bad Request. */

import { describe, expect, it } from 'vitest'
import { hostServices } from '../../support/host-services.ts'
import { randomOf } from '../../support/random.ts'
import { ratelimitCases } from '../../support/ratelimit-cases.ts'
import { oneLimit } from '../../support/ratelimit-servers.ts'
import { sweep } from '../../support/sweep.ts'

/** Bodies of one seed: on a machine that has other work a test of many more takes minutes. */
const bodies = 2_000
const seeds = Array.from({ length: sweep(10, 2) }, (_, at) => 20_261_120 + at)

// Few objects however many keys come up; small bounds so that they are met.
const { client } = hostServices([
  { COUNTER_PLACEMENT: 'shard', COUNTER_SHARDS: '2', REQUEST_MAX_BODY_BYTES: '4096', REQUEST_MAX_DESCRIPTORS: '8' },
])

const tokens = [
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '"',
  '\\',
  '\\u0000',
  '\\ud800',
  'null',
  'true',
  '-1',
  '1e999',
  '4294967296',
  '18446744073709551615',
  '"limit":',
  '"hitsAddend":',
  '"isNegativeHits":true',
  '"unit":"DAY"',
  '\u{1f600}',
  '\ufeff',
  ' ',
]

/** One to four edits: bytes flipped, cut, doubled, or a word of JSON put in. */
function mutate(text: string, random: () => number): Uint8Array<ArrayBuffer> {
  const below = (bound: number) => Math.floor(random() * bound)
  let bytes = [...new TextEncoder().encode(text)]
  for (let edits = 1 + below(4); edits > 0; edits--) {
    const at = below(bytes.length + 1)
    const length = below(12)
    const kind = below(5)
    if (kind === 0 && at < bytes.length) bytes[at] = below(256)
    else if (kind === 1) bytes.splice(at, length)
    else if (kind === 2) bytes.splice(at, 0, ...bytes.slice(at, at + length))
    else if (kind === 3) bytes.splice(at, 0, ...new TextEncoder().encode(tokens[below(tokens.length)] ?? ''))
    else if (below(50) === 0) bytes = [...bytes, ...bytes, ...bytes]
  }
  return Uint8Array.from(bytes)
}

const originals = ratelimitCases.flatMap(({ steps }) =>
  steps.flatMap((step) => (step.op === 'request' ? [step.raw_body ?? JSON.stringify(step.request)] : [])),
)

describe('POST /json', () => {
  it.each(seeds)(`answers ${bodies} mutated bodies with 200, 429 or 400 and nothing else (seed %i)`, async (seed) => {
    await client().load([oneLimit('shop', 'day', 5, 'tenant'), oneLimit('hd', 'day', 50, 'a')])
    const random = randomOf(seed)
    const counts = new Map<number, number>()
    let left = bodies
    const send = async () => {
      while (left > 0) {
        left -= 1
        const body = mutate(originals[Math.floor(random() * originals.length)] ?? '', random)
        const response = await client().decide(body)
        const text = await response.text()
        counts.set(response.status, (counts.get(response.status) ?? 0) + 1)
        if (response.status === 400) expect(text).toBe('Bad Request\n')
        else expect(['OK', 'OVER_LIMIT']).toContain(JSON.parse(text).overallCode)
      }
    }
    await Promise.all(Array.from({ length: 12 }, send))
    expect([...counts.keys()].filter((status) => ![200, 429, 400].includes(status))).toEqual([])
    // The mutations are neither all refused nor all harmless.
    for (const status of [200, 429, 400]) expect(counts.get(status) ?? 0).toBeGreaterThan(5)
  })
})
