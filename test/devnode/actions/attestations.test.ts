import { describe, expect, test } from 'vitest'
import { decodeHex, encodeHex } from '#base/hex.ts'
import { readOutcome } from '#devnode/markets/settlement.ts'
import { profiles } from '#devnode/profiles.ts'
import { findSignedAttestation, isRequested } from '#devnode/state/attestations.ts'
import { parseAttestationPayload, verifyAttestationSignature } from '#streamnet/attestation.ts'
import { numeric } from '#streamnet/codec/value.ts'
import { toChecksumAddress } from '#streamnet/ids.ts'
import {
  encodeActionArgs,
  encodeMarketQuestion,
  encodeQueryComponents,
  hashQueryComponents,
} from '#streamnet/market-data.ts'
import type { ActionArg } from '#streamnet/types.ts'
import { keys, startTestNode, type TestNode } from '../../support/devnode.ts'

const streamId = `st${'a'.repeat(30)}`
const composedId = `st${'b'.repeat(30)}`
const provider = keys.owner.address
const wei = (tokens: number) => `${BigInt(tokens) * 10n ** 18n}`

/** A node with a stream of values 40, 42 and 41 at the times 100, 200 and 300, and money for the owner. */
function startWithStream(profile = profiles.head): TestNode {
  const node = startTestNode({ profile })
  fund(node, 1000)
  node.must(keys.owner, 'create_stream', streamId, 'primitive')
  for (const [time, value] of [
    [100, '40'],
    [200, '42'],
    [300, '41'],
  ] as const) {
    node.must(keys.owner, 'insert_record', provider, streamId, time, numeric(value))
  }
  return node
}

function fund(node: TestNode, tokens: number, wallet = provider): void {
  node.rpc('dev.setBalance', { bridge: 'hoodi_tt', wallet, amount: wei(tokens) })
}

const balanceOf = (node: TestNode, wallet: string = provider) => node.view('hoodi_tt_wallet_balance', [wallet])[0]?.[0]

const above = (time: number, threshold: string): readonly ActionArg[] => [
  provider,
  streamId,
  time,
  numeric(threshold),
  null,
]

/** The arguments of a request of one's own stream. */
function request(action: string, args: readonly ActionArg[], rest: readonly ActionArg[] = [false, null]) {
  return [provider, streamId, action, encodeActionArgs(args), ...rest]
}

/** Requests what the owner may ask of the stream. */
const attest = (node: TestNode, action: string, args: readonly ActionArg[]) =>
  node.must(keys.owner, 'request_attestation', ...request(action, args))

function signed(node: TestNode, hash: string): Uint8Array {
  return node.view('get_signed_attestation', [hash])[0]?.[0] as Uint8Array
}

const resultOf = (node: TestNode, hash: string) =>
  parseAttestationPayload(signed(node, hash).subarray(0, -65)).result.map(({ values }) => values)

describe('request_attestation', () => {
  test('costs 40 tokens, which the leader gets, and is a row of the ledger', () => {
    const node = startWithStream()
    const before = BigInt(String(balanceOf(node)))
    const { hash } = attest(node, 'price_above_threshold', above(200, '40'))
    expect(before - BigInt(String(balanceOf(node)))).toBe(40n * 10n ** 18n)
    const [event] = node.view('get_transaction_event', [hash])
    expect(event?.slice(2, 6)).toEqual(['requestAttestation', provider, wei(40), keys.operator.address])
  })

  test('is signed in the next block by the key of the node, over the payload that a client can verify', () => {
    const node = startWithStream()
    const { hash } = attest(node, 'price_above_threshold', above(200, '40'))
    const { height } = node.rpc('user.tx_query', { tx_hash: hash }) as { height: number }
    const { validatorAddress, canonicalPayload } = verifyAttestationSignature(signed(node, hash))
    expect(validatorAddress).toBe(toChecksumAddress(keys.operator.address))
    expect(parseAttestationPayload(canonicalPayload)).toMatchObject({
      blockHeight: height,
      dataProvider: provider,
      streamId,
      actionId: 6,
      result: [{ values: [true] }],
    })
    const [listed] = node.view('list_attestations', [null, hash, null, null, 5, 0, null])
    expect(listed?.slice(5)).toEqual([height, height + 1, false].map((one) => (one === false ? false : BigInt(one))))
  })

  test('has the hash of the market with the same question', () => {
    const node = startWithStream()
    const { hash } = attest(node, 'price_above_threshold', above(200, '40'))
    const question = { dataProvider: provider, streamId, timestamp: 200 }
    const market = hashQueryComponents(encodeMarketQuestion('price_above_threshold', question, ['40']))
    const [listed] = node.view('list_attestations', [null, null, market, null, 5, 0, null])
    expect(listed?.[0]).toBe(hash)
    const found = findSignedAttestation(node.store, encodeHex(market))
    expect(found?.requestTxId).toBe(hash)
    expect(readOutcome(found?.payload ?? new Uint8Array())).toBe(true)
  })

  test('of every action that may be attested says what the stream says', () => {
    const node = startWithStream()
    const target: readonly ActionArg[] = [provider, streamId, 350]
    const asked: readonly (readonly [string, readonly ActionArg[], unknown])[] = [
      ['price_above_threshold', [...target, numeric('41'), null], [[false]]],
      ['price_below_threshold', [...target, numeric('41.5'), null], [[true]]],
      ['value_in_range', [...target, numeric('41'), numeric('42'), null], [[true]]],
      ['value_equals', [...target, numeric('40.5'), numeric('0.5'), null], [[true]]],
      ['value_equals', [...target, numeric('40.5'), null, null], [[false]]],
      ['get_last_record', [provider, streamId, 300, null, true], [['200', '42']]],
      ['get_first_record', [provider, streamId, 150, null, true], [['200', '42']]],
      ['get_high_value', [provider, streamId, 0, 1000, null], [['200', '42']]],
      ['get_low_value', [provider, streamId, 150, 1000, null], [['300', '41']]],
    ]
    const given = asked.map(([action, args]) => resultOf(node, attest(node, action, args).hash))
    expect(given).toEqual(asked.map(([, , result]) => result))
  })

  test('before the time of its question is charged and signed with two empty lists', () => {
    const node = startWithStream()
    const later = Math.floor(node.nowMs / 1000) + 1000
    const { hash } = attest(node, 'price_above_threshold', above(later, '40'))
    expect(resultOf(node, hash)).toEqual([])
    const payload = signed(node, hash).subarray(0, -65)
    expect(() => readOutcome(payload)).toThrow('binary action result must be 32 bytes (abi-encoded bool), got 128')
  })

  test('switches the cache off in what it attests', () => {
    const node = startWithStream()
    const args = [provider, streamId, 300, null, true]
    const { hash } = attest(node, 'get_last_record', args)
    const payload = parseAttestationPayload(signed(node, hash).subarray(0, -65))
    expect(payload.arguments).toEqual([provider, streamId, 300n, null, false])
  })

  test('of a whole series is refused today and taken in the profile of the description', () => {
    const args = request('get_record', [provider, streamId, 0, 1000, null, false])
    expect(startWithStream().execute(keys.owner, 'request_attestation', args).log).toBe(
      'ERROR: action 1 not allowed for attestation: use get_last_record, get_first_record, get_high_value, get_low_value, or binary actions',
    )
    const node = startWithStream(profiles.seed)
    const { hash } = node.must(keys.owner, 'request_attestation', ...args)
    expect(resultOf(node, hash)).toEqual([
      ['100', '40'],
      ['200', '42'],
      ['300', '41'],
    ])
  })

  test('runs as the caller: a private stream is attested to strangers as empty', () => {
    const node = startWithStream()
    node.must(keys.owner, 'insert_metadata', provider, streamId, 'read_visibility', '1', 'int')
    fund(node, 100, keys.stranger.address)
    const args = request('get_last_record', [provider, streamId, null, null, false])
    const { hash } = node.must(keys.stranger, 'request_attestation', ...args)
    expect(resultOf(node, hash)).toEqual([])
  })

  test('reads composed streams and values older than a day through a read of the day', () => {
    const node = startWithStream()
    node.must(keys.owner, 'create_stream', composedId, 'composed')
    node.must(keys.owner, 'insert_taxonomy', provider, composedId, [provider], [streamId], numeric(['1']), 0)
    const composed = [provider, composedId, 350, numeric('40.9'), null]
    const { hash } = node.must(
      keys.owner,
      'request_attestation',
      ...[provider, composedId, 'price_above_threshold', encodeActionArgs(composed), false, null],
    )
    expect(resultOf(node, hash)).toEqual([[true]])
    const aged = attest(node, 'price_above_threshold', above(300_000, '40.9'))
    expect(resultOf(node, aged.hash)).toEqual([[true]])
  })

  const refused: readonly (readonly [string, readonly ActionArg[], string])[] = [
    ['encryption', request('get_last_record', [], [true, null]), 'Encryption not implemented'],
    ['another action', request('insert_record', []), 'Action not allowed for attestation: insert_record'],
    [
      'a fee beyond the limit',
      request('get_last_record', [], [false, numeric('1', 78, 0)]),
      'Attestation fee (40 TRUF) exceeds caller max_fee limit: 0 TRUF',
    ],
    [
      'a fee half a token beyond the limit, which the network rounds',
      request('get_last_record', [], [false, numeric(`395${'0'.repeat(17)}`, 78, 0)]),
      'Attestation fee (40 TRUF) exceeds caller max_fee limit: 40 TRUF',
    ],
    [
      'a provider that is none',
      ['nonsense', streamId, 'get_last_record', encodeActionArgs([]), false, null],
      'data_provider must be 0x-prefixed 40 hex characters',
    ],
    [
      'a provider that is no hex',
      [`0x${'g'.repeat(40)}`, streamId, 'get_last_record', encodeActionArgs([]), false, null],
      'invalid hexadecimal digit: "g" (SQLSTATE 22023)',
    ],
    [
      'a stream id of another length',
      [provider, 'short', 'get_last_record', encodeActionArgs([]), false, null],
      'stream_id must be 32 characters',
    ],
    [
      'arguments that are no arguments',
      [provider, streamId, 'get_last_record', new Uint8Array(3), false, null],
      'failed to decode action args: data too short for arg count',
    ],
    [
      'arguments left out',
      [provider, streamId, 'get_last_record', null, false, null],
      'extension implementation error: extension method "validate_attestation_date_range" expected argument 2 to be non-null, but got null',
    ],
    [
      'an open window',
      request('get_high_value', [provider, streamId, null, 5, null]),
      "get_high_value/get_low_value attestation actions require both 'from' and 'to' parameters",
    ],
    [
      'a window that runs backwards',
      request('get_low_value', [provider, streamId, 6, 5, null]),
      "attestation date range invalid: 'from' (6) must be less than or equal to 'to' (5)",
    ],
    [
      'a window of more than ninety days',
      request('get_low_value', [provider, streamId, 0, 7_776_001, null]),
      'attestation date range of 7776001 seconds exceeds maximum of 7776000 seconds (90 days)',
    ],
    [
      'arguments of the wrong type',
      request('get_last_record', [1, streamId, null, null, false]),
      'action \'get_last_record\' call failed: type error: action "get_last_record" expected argument 1 to be of type text, but got int8',
    ],
    [
      'encryption that is neither wanted nor unwanted',
      request('get_last_record', [provider, streamId, null, null, false], [null, null]),
      'null value in column "encrypt_sig" of relation "attestations" violates not-null constraint (SQLSTATE 23502)',
    ],
  ]
  for (const [what, args, text] of refused) {
    test(`refuses ${what} with the network's text, and takes nothing`, () => {
      const node = startWithStream()
      const before = balanceOf(node)
      expect(node.execute(keys.owner, 'request_attestation', args)).toMatchObject({
        code: 65535,
        log: `ERROR: ${text}`,
      })
      expect(balanceOf(node)).toEqual(before)
      expect(node.view('list_attestations', [null, null, null, null, null, null, null])).toEqual([])
    })
  }

  test('refuses a wallet that cannot pay, after the action and before the stream', () => {
    const node = startWithStream()
    const args = ['nonsense', streamId, 'get_last_record', encodeActionArgs([]), false, null]
    const { log } = node.execute(keys.stranger, 'request_attestation', args)
    expect(log).toBe('ERROR: Insufficient balance for attestation. Required: 40 TRUF')
  })

  test('twice in one transaction breaks the key, and the same question twice in one block too', () => {
    const node = startWithStream()
    const args = request('price_above_threshold', above(200, '40'))
    expect(node.execute(keys.owner, 'request_attestation', args, args).log).toContain('"attestations_pkey"')
  })

  test('is refused by a node without a key, which takes nothing for it', () => {
    const node = startTestNode({ nodeKey: undefined })
    fund(node, 100)
    const { log } = node.execute(keys.owner, 'request_attestation', request('get_last_record', []))
    expect(log).toContain('tn_attestation is disabled')
    expect(balanceOf(node)).toBe(wei(100))
  })
})

describe('a signature', () => {
  test('that is lost leaves the attestation unsigned for good, until the question is asked again', () => {
    const node = startWithStream()
    node.rpc('dev.failNext', { error: 'signature_lost' })
    const args = request('price_above_threshold', above(200, '40'))
    const first = node.must(keys.owner, 'request_attestation', ...args)
    node.rpc('dev.mine', { blocks: 5 })
    const text = `Attestation not yet signed: ${first.hash}`
    expect(() => signed(node, first.hash)).toThrow(text)
    const [listed] = node.view('list_attestations', [null, first.hash, null, null, 5, 0, null])
    const hash = encodeHex(listed?.[1] as Uint8Array)
    expect([isRequested(node.store, hash), findSignedAttestation(node.store, hash)]).toEqual([true, undefined])
    const second = node.must(keys.owner, 'request_attestation', ...args)
    expect([first, second].map((one) => signed(node, one.hash).length > 65)).toEqual([true, true])
  })

  test('comes with the next block of a node that mines by hand', () => {
    const node = startWithStream()
    node.rpc('dev.setAutomine', { enabled: false })
    const args = request('price_above_threshold', above(200, '40'))
    const { hash } = node.execute(keys.owner, 'request_attestation', args)
    node.rpc('dev.mine')
    expect(() => signed(node, hash)).toThrow('Attestation not yet signed')
    node.rpc('dev.mine')
    expect(resultOf(node, hash)).toEqual([[true]])
  })

  test('is not made for a payload that a contract could not read', () => {
    const node = startWithStream()
    const args = [
      null,
      streamId,
      'get_last_record',
      encodeActionArgs([provider, streamId, null, null, false]),
      false,
      null,
    ]
    const { hash } = node.must(keys.owner, 'request_attestation', ...args)
    expect(() => signed(node, hash)).toThrow('Attestation not yet signed')
  })
})

describe('sign_attestation', () => {
  const unsigned = (node: TestNode) => {
    node.rpc('dev.failNext', { error: 'signature_lost' })
    return attest(node, 'price_above_threshold', above(200, '40')).hash
  }

  test('is for the leader only', () => {
    const node = startWithStream()
    const { log } = node.execute(keys.owner, 'sign_attestation', [unsigned(node), new Uint8Array(65)])
    const [leader, signer] = [keys.operator.address.slice(2), keys.owner.address.slice(2)]
    expect(log).toBe(`ERROR: Only the current block leader may sign attestations. leader=${leader} signer=${signer}`)
  })

  test('by the leader signs once, what exists', () => {
    const node = startWithStream()
    const hash = unsigned(node)
    const sign = (...args: readonly ActionArg[]) =>
      node.execute(keys.operator, 'sign_attestation', args).log || undefined
    expect(sign(null, new Uint8Array(65))).toBe('ERROR: Request transaction ID is required')
    expect(sign(hash, null)).toBe('ERROR: Signature is required')
    expect(sign('00'.repeat(32), new Uint8Array(65))).toBe(`ERROR: Attestation not found: ${'00'.repeat(32)}`)
    expect(sign(hash, new Uint8Array(65).fill(7))).toBeUndefined()
    expect(sign(hash, new Uint8Array(65))).toBe(`ERROR: Attestation already signed: ${hash}`)
    const [row] = node.view('get_transaction_attestation', [`0x${hash}`])
    expect(row?.slice(6, 8)).toEqual([new Uint8Array(65).fill(7), decodeHex(keys.operator.address.slice(2))])
  })
})

describe('get_signed_attestation', () => {
  test('finds transactions by a hash without 0x only', () => {
    const node = startWithStream()
    const { hash } = attest(node, 'price_above_threshold', above(200, '40'))
    expect(() => node.view('get_signed_attestation', [`0x${hash}`])).toThrow(`Attestation not found: 0x${hash}`)
  })
})

describe('list_attestations', () => {
  test('filters by one thing, in the order asked for, newest first', () => {
    const node = startWithStream()
    fund(node, 1000, keys.stranger.address)
    const ask = (signer: typeof keys.owner, threshold: string) =>
      node.must(signer, 'request_attestation', ...request('price_above_threshold', above(200, threshold))).hash
    const [one, two, three] = [ask(keys.owner, '1'), ask(keys.stranger, '2'), ask(keys.owner, '3')]
    const list = (...args: readonly ActionArg[]) => node.view('list_attestations', args).map(([id]) => id)
    expect(list(null, null, null, null, null, null, null)).toEqual([three, two, one])
    expect(list(null, null, null, null, 2, 1, 'created_height asc')).toEqual([two, three])
    expect(list(decodeHex(provider.slice(2)), null, null, null, null, null, null)).toEqual([three, one])
    const [row] = node.view('get_transaction_attestation', [two])
    expect(list(null, null, row?.[1] as Uint8Array, null, null, null, null)).toEqual([two])
    expect(list(null, null, null, row?.[3] as Uint8Array, null, null, null)).toEqual([two])
    expect(list(null, 'unknown', null, null, null, null, null)).toEqual([])
  })
})

describe('get_transaction_attestation', () => {
  test('needs a transaction, and gives nothing for one that asked for none', () => {
    const node = startWithStream()
    expect(() => node.view('get_transaction_attestation', [' '])).toThrow('tx_id is required')
    expect(node.view('get_transaction_attestation', ['ab'.repeat(32)])).toEqual([])
  })

  test('names the validator by its public key on the network of today, and by its address as described', () => {
    const validatorOn = (profile: typeof profiles.head) => {
      const node = startWithStream(profile)
      const asked = request('price_above_threshold', above(200, '40'))
      const { hash } = node.must(keys.owner, 'request_attestation', ...asked)
      return encodeHex(node.view('get_transaction_attestation', [hash])[0]?.[7] as Uint8Array)
    }
    // The public key of the private key 2, as a real node with that key gives it.
    expect(validatorOn(profiles.head)).toBe('02c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5')
    expect(validatorOn({ ...profiles.head, answers: 'described' })).toBe(keys.operator.address.slice(2))
  })
})

describe('threshold actions', () => {
  for (const [action, bounds] of [
    ['price_above_threshold', 1],
    ['price_below_threshold', 1],
    ['value_in_range', 2],
    ['value_equals', 2],
  ] as const) {
    test(`${action} cannot be read at any time`, () => {
      const args = [provider, streamId, 1, ...Array.from({ length: bounds }, () => numeric('1')), null]
      expect(() => startWithStream().call(action, args)).toThrow(
        '-300 connection is read-only and cannot mutate state: action "validate_not_before_timestamp" requires a writer connection',
      )
    })
  }

  const refused: readonly (readonly [string, string, readonly ActionArg[]])[] = [
    ['timestamp is required', 'price_above_threshold', [provider, streamId, null, numeric('1'), null]],
    ['threshold is required', 'price_below_threshold', [provider, streamId, 1, null, null]],
    ['max_value is required', 'value_in_range', [provider, streamId, 1, numeric('1'), null, null]],
    [
      'Invalid range: min_value (2.000000000000000000) > max_value (1.000000000000000000)',
      'value_in_range',
      [provider, streamId, 1, numeric('2'), numeric('1'), null],
    ],
    ['target is required', 'value_equals', [provider, streamId, 1, null, null, null]],
    [
      'Tolerance cannot be negative: -1.000000000000000000',
      'value_equals',
      [provider, streamId, 1, numeric('1'), numeric('-1'), null],
    ],
    [
      `No data found for stream ${streamId} at timestamp 1`,
      'price_below_threshold',
      [provider, streamId, 1, numeric('1'), null],
    ],
    [
      `No data found for stream ${streamId} at timestamp 1. Data provider: ${provider}`,
      'price_above_threshold',
      [provider, streamId, 1, numeric('1'), null],
    ],
    [
      `Stream does not exist: data_provider=${provider} stream_id=st`,
      'value_equals',
      [provider, 'st', 1, numeric('1'), null, null],
    ],
  ]
  for (const [text, action, args] of refused) {
    test(`${action} in a transaction: ${text.slice(0, 60)}`, () => {
      expect(startWithStream().execute(keys.owner, action, args).log).toBe(`ERROR: ${text}`)
    })
  }
})

describe('get_high_value and get_low_value', () => {
  test('give the first of equal rows, corrected values as they are now, and nothing outside of the window', () => {
    const node = startWithStream()
    node.must(keys.owner, 'insert_record', provider, streamId, 400, numeric('42'))
    const read = (action: string, from: number, to: number) =>
      node.view(action, [provider, streamId, from, to, null]).map((row) => row.map(String))
    expect(read('get_high_value', 0, 500)).toEqual([['200', '42.000000000000000000']])
    node.must(keys.owner, 'insert_record', provider, streamId, 200, numeric('1'))
    expect(read('get_high_value', 0, 500)).toEqual([['400', '42.000000000000000000']])
    expect(read('get_low_value', 0, 500)).toEqual([['200', '1.000000000000000000']])
    expect(read('get_low_value', 201, 299)).toEqual([])
  })

  test('of a composed stream find nothing, as on the network, which compares its rows with null', () => {
    const node = startWithStream()
    node.must(keys.owner, 'create_stream', composedId, 'composed')
    node.must(keys.owner, 'insert_taxonomy', provider, composedId, [provider], [streamId], numeric(['1']), 0)
    expect(node.view('get_record', [provider, composedId, 0, 500, null])).not.toEqual([])
    expect(node.view('get_high_value', [provider, composedId, 0, 500, null])).toEqual([])
  })

  test('refuse strangers of a private stream', () => {
    const node = startWithStream()
    node.must(keys.owner, 'insert_metadata', provider, streamId, 'read_visibility', '1', 'int')
    expect(() => node.view('get_low_value', [provider, streamId, 0, 1, null], keys.stranger)).toThrow(
      'wallet not allowed to read',
    )
  })
})

test('encodeQueryComponents() of a last record has the hash of its attestation', () => {
  const node = startWithStream()
  const args = encodeActionArgs([provider, streamId, 300, null, false])
  const { hash } = node.must(
    keys.owner,
    'request_attestation',
    provider,
    streamId,
    'get_last_record',
    args,
    false,
    null,
  )
  const components = encodeQueryComponents({ dataProvider: provider, streamId, actionId: 'get_last_record', args })
  expect(findSignedAttestation(node.store, encodeHex(hashQueryComponents(components)))?.requestTxId).toBe(hash)
})
