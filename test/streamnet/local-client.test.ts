import { inspect } from 'node:util'
import { sha256 } from '@noble/hashes/sha2.js'
import { describe, expect, test } from 'vitest'
import { canonicalJson, type ExactJson, parseExactJson } from '#base/canonical-json.ts'
import { encodeHex } from '#base/hex.ts'
import { encodeUtf8 } from '#base/utf8.ts'
import { LocalClient } from '#streamnet/local-client.ts'
import type { Platform } from '#streamnet/platform.ts'
import { digestLocalAuth, encodeLocalAuth, localAuthText } from '#streamnet/signing/local-auth.ts'
import { createSigner } from '#streamnet/signing/signer.ts'
import { vectorsOf } from '../support/streams-vectors.ts'

interface AuthInput {
  readonly private_key?: string
  readonly method: string
  readonly params: ExactJson
  readonly ts: number
  readonly json?: string
}

interface AuthExpected {
  readonly canonical_json?: string
  readonly payload_text?: string
  readonly digest_hex?: string
  readonly sig?: string
  readonly operator?: string
  readonly body?: { readonly params: { readonly _auth: object } }
  readonly message?: string
  readonly data?: { readonly reason: string }
}

/** An admin server that answers one thing and keeps what it was asked. */
function createAdmin(answer: (method: string) => object = () => ({ result: {} })) {
  const bodies: { method: string; params: Record<string, unknown>; text: string; authorization: string | null }[] = []
  const clock = { ms: 1_700_000_000_000 }
  const platform: Platform = {
    async fetch(_, init) {
      const text = String(init.body)
      const { id, method, params } = JSON.parse(text)
      bodies.push({ method, params, text, authorization: new Headers(init.headers).get('authorization') })
      return Response.json({ jsonrpc: '2.0', id, ...answer(method) })
    },
    sleep: async () => undefined,
    now: () => clock.ms,
    deadline: () => new AbortController().signal,
    log: () => undefined,
  }
  return { platform, bodies, clock }
}

const id = `st${'0'.repeat(29)}1`
const id2 = `st${'0'.repeat(29)}2`
const key = '11'.repeat(32)

for (const { id: name, input, expected } of vectorsOf<AuthInput, AuthExpected | string>('local_auth')) {
  if (typeof expected === 'string') {
    test(`canonical JSON follows vector ${name}`, () => {
      expect(canonicalJson(parseExactJson(input.json ?? '') as ExactJson)).toBe(expected)
    })
  } else if (expected.message) {
    test(`a refusal as in vector ${name} is unauthenticated with its reason`, async () => {
      const { code, message, data } = expected as AuthExpected & { code: number }
      const { platform } = createAdmin(() => ({ error: { code, message, data } }))
      await expect(new LocalClient('http://node.test:8485', key, { platform }).listStreams()).rejects.toMatchObject({
        code: 'unauthenticated',
        message: expect.stringContaining('tn_local: unauthenticated'),
        data,
      })
    })
  } else {
    test(`envelope follows vector ${name}`, async () => {
      const { method, params, ts } = input
      const signer = createSigner(input.private_key ?? '')
      expect(canonicalJson(params)).toBe(expected.canonical_json)
      const hash = sha256(encodeUtf8(canonicalJson(params)))
      if (expected.payload_text) expect(localAuthText(method, hash, ts)).toBe(expected.payload_text)
      if (expected.operator) expect(signer.address).toBe(expected.operator)
      const digest = digestLocalAuth(method, hash, ts)
      expect(encodeHex(digest)).toBe(expected.digest_hex)
      const envelope = encodeLocalAuth(await signer.signDigest(digest), ts)
      if (expected.sig) expect(envelope.sig).toBe(expected.sig)
      if (expected.body) expect(envelope).toEqual(expected.body.params._auth)
    })
  }
}

interface LocalErrorInput {
  readonly method: string
  readonly params: Readonly<Record<string, never>>
}

describe('LocalClient refuses before sending', () => {
  const { platform, bodies } = createAdmin()
  const client = new LocalClient('http://node.test:8485', undefined, { platform })
  const calls: Readonly<Record<string, (p: Readonly<Record<string, never>>) => Promise<unknown>>> = {
    'local.create_stream': (p) =>
      client.createStream({ streamId: p.stream_id ?? '', streamType: p.stream_type as never }),
    'local.insert_taxonomy': (p) =>
      client.insertTaxonomy({
        streamId: p.stream_id ?? '',
        childStreamIds: p.child_stream_ids as never,
        weights: p.weights as never,
        startDate: p.start_date,
      }),
    'local.get_record': (p) =>
      client.getRecord({ streamId: p.stream_id ?? '', fromTime: p.from_time, toTime: p.to_time }),
    'local.disable_taxonomy': (p) =>
      client.disableTaxonomy({ streamId: p.stream_id ?? '', groupSequence: p.group_sequence as never }),
    // Records and times are one list here, so that their lengths cannot differ.
    'local.insert_records': (p) => client.insertRecords({ streamId: id, records: p.event_time as never }),
  }

  for (const { id: name, input } of vectorsOf<LocalErrorInput, unknown>('local_errors')) {
    test(`what vector ${name} has a node refuse`, async () => {
      await expect(calls[input.method]?.(input.params)).rejects.toMatchObject({ code: 'invalid_argument' })
      expect(bodies).toEqual([])
    })
  }

  test.each([
    ['a fractional time', { eventTime: 1.5, value: '1' }],
    ['a time beyond 64 bits', { eventTime: 2n ** 63n, value: '1' }],
    ['a value that is no decimal', { eventTime: 1, value: 'abc' }],
    ['NaN', { eventTime: 1, value: Number.NaN }],
  ])('%s', async (_, record) => {
    await expect(client.insertRecords({ streamId: id, records: [record] })).rejects.toMatchObject({
      code: 'invalid_argument',
    })
    expect(bodies).toEqual([])
  })
})

test('LocalClient sends what each method takes', async () => {
  const { platform, bodies } = createAdmin()
  const client = new LocalClient('http://node.test:8485', undefined, { platform })
  await client.createStream({ streamId: id, streamType: 'composed' })
  await client.deleteStream({ streamId: id })
  await client.insertRecords({ streamId: id, records: [{ eventTime: 1, value: 1.5 }] })
  await client.batchInsertRecords({
    batches: [
      { streamId: id, records: [{ eventTime: 1, value: '1' }] },
      { streamId: id2, records: [{ eventTime: 2, value: '2' }] },
    ],
  })
  await client.insertTaxonomy({ streamId: id, childStreamIds: [id2], weights: [1] })
  await client.disableTaxonomy({ streamId: id, groupSequence: 1 })
  await client.getRecord({ streamId: id })
  await client.getIndex({ streamId: id, fromTime: 1, toTime: 2, baseTime: 1 })
  await client.listStreams()
  expect(bodies.map(({ method, params }) => [method, params])).toEqual([
    ['local.create_stream', { stream_id: id, stream_type: 'composed' }],
    ['local.delete_stream', { stream_id: id }],
    ['local.insert_records', { stream_id: [id], event_time: [1], value: ['1.5'] }],
    ['local.insert_records', { stream_id: [id, id2], event_time: [1, 2], value: ['1', '2'] }],
    ['local.insert_taxonomy', { stream_id: id, child_stream_ids: [id2], weights: ['1'], start_date: 0 }],
    ['local.disable_taxonomy', { stream_id: id, group_sequence: 1 }],
    ['local.get_record', { stream_id: id }],
    ['local.get_index', { stream_id: id, from_time: 1, to_time: 2, base_time: 1 }],
    ['local.list_streams', {}],
  ])
})

test('LocalClient reads what each method answers, integers whole', async () => {
  const answers: Readonly<Record<string, string>> = {
    'local.get_record': '{"records":[{"event_time":9007199254740993,"value":"1.5","created_at":0}]}',
    'local.get_index': '{"records":null}',
    'local.list_streams': `{"streams":[{"data_provider":"0xab","stream_id":"${id}","stream_type":"primitive","created_at":7}]}`,
  }
  const { platform } = createAdmin()
  const client = new LocalClient('http://node.test:8485', undefined, {
    platform: {
      ...platform,
      fetch: async (_, init) => {
        const { id: request, method } = JSON.parse(String(init.body))
        return new Response(`{"jsonrpc":"2.0","id":${request},"result":${answers[method]}}`)
      },
    },
  })
  expect(await client.getRecord({ streamId: id })).toEqual([
    { eventTime: 9007199254740993n, value: '1.5', createdAt: 0 },
  ])
  expect(await client.getIndex({ streamId: id })).toEqual([])
  expect(await client.listStreams()).toEqual([
    { dataProvider: '0xab', streamId: id, streamType: 'primitive', createdAt: 7 },
  ])
})

test.each([
  [{ records: [{}] }],
  [{ records: 5 }],
  [{ records: [null] }],
  [{ records: [{ event_time: 'x', value: '1', created_at: 0 }] }],
])('LocalClient refuses the answer %j', async (result) => {
  const { platform } = createAdmin(() => ({ result }))
  const client = new LocalClient('http://node.test:8485', undefined, { platform })
  await expect(client.getRecord({ streamId: id })).rejects.toMatchObject({ code: 'malformed_response' })
})

test('LocalClient sends no taxonomy that has no child, a child without a weight, or a date before 1970', async () => {
  const { platform, bodies } = createAdmin()
  const client = new LocalClient('http://node.test:8485', undefined, { platform })
  const insert = (childStreamIds: readonly string[], weights: readonly string[], startDate?: number) =>
    client.insertTaxonomy({ streamId: id, childStreamIds, weights, startDate })
  await expect(insert([], [])).rejects.toThrow('there must be at least 1 child')
  await expect(insert([id2], [])).rejects.toThrow('child array lengths mismatch')
  await expect(insert([id2], ['1', '2'])).rejects.toThrow('child array lengths mismatch')
  await expect(insert([id2], ['1'], -1)).rejects.toThrow('start_date must be >= 0')
  await expect(client.disableTaxonomy({ streamId: id, groupSequence: -1 })).rejects.toThrow('group_sequence')
  expect(bodies).toEqual([])
})

test('LocalClient sends integers beyond 2^53 whole', async () => {
  const { platform, bodies } = createAdmin()
  const client = new LocalClient('http://node.test:8485', key, { platform })
  await client.insertRecords({ streamId: id, records: [{ eventTime: 9007199254740993n, value: '1' }] })
  expect(bodies[0]?.text).toContain('"event_time":[9007199254740993]')
})

test('LocalClient signs equal requests of one millisecond with growing times', async () => {
  const { platform, bodies, clock } = createAdmin()
  const client = new LocalClient('http://node.test:8485', key, { platform })
  await Promise.all([1, 2, 3].map(() => client.deleteStream({ streamId: id })))
  // A clock that goes back must not repeat a time either.
  clock.ms -= 60_000
  await client.deleteStream({ streamId: id })
  const envelopes = bodies.map(({ params }) => params._auth as { ts: number; sig: string })
  // Signatures that are made side by side are ready in any order.
  const times = envelopes.map(({ ts }) => ts - 1_700_000_000_000)
  expect([times.toSorted(), times.at(-1)]).toEqual([[0, 1, 2, 3], 3])
  expect(new Set(envelopes.map(({ sig }) => sig)).size).toBe(4)
})

test('LocalClient sends the admin password, and shows neither it nor the key', async () => {
  const { platform, bodies } = createAdmin(() => ({ error: { code: -32602, message: 'stream not found: x' } }))
  const client = new LocalClient('http://node.test:8485', key, { platform, adminPassword: 'hush' })
  const error = await client.deleteStream({ streamId: id }).catch((caught: unknown) => caught)
  expect(bodies[0]?.authorization).toBe('Basic Omh1c2g=')
  expect(inspect([error, client], { depth: 9, showHidden: true })).not.toMatch(/hush|Omh1c2g|1111111111/)
  expect(() => new LocalClient('http://node.test:8485', 'zz')).toThrow('Cannot use private key')
})
