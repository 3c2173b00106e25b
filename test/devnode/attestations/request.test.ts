import { describe, expect, test } from 'vitest'
import { encodeHex } from '#base/hex.ts'
import { readOutcome } from '#devnode/markets/settlement.ts'
import { profiles } from '#devnode/profiles.ts'
import { findSignedAttestation } from '#devnode/state/attestations.ts'
import { parseAttestationPayload, verifyAttestationSignature } from '#streamnet/attestation.ts'
import { numeric } from '#streamnet/codec/value.ts'
import { toChecksumAddress } from '#streamnet/ids.ts'
import {
  encodeActionArgs,
  encodeMarketQuestion,
  encodeQueryComponents,
  hashQueryComponents,
} from '#streamnet/market-question.ts'
import type { ActionArg } from '#streamnet/types.ts'
import {
  above,
  attest,
  composeStream,
  fund,
  listAttestations,
  provider,
  request,
  resultOf,
  signed,
  startWithStream,
  streamId,
} from '../../support/attestations.ts'
import { balanceOf, wei } from '../../support/bridges.ts'
import { keys, namedRows, startTestNode } from '../../support/devnode.ts'

describe('request_attestation', () => {
  test('costs 40 tokens, which the leader gets, and is a row of the ledger', () => {
    const node = startWithStream()
    const before = BigInt(String(balanceOf(node, provider, 'hoodi_tt')))
    const { hash } = attest(node, 'price_above_threshold', above(200, '40'))
    expect(before - BigInt(String(balanceOf(node, provider, 'hoodi_tt')))).toBe(40n * 10n ** 18n)
    expect(namedRows(node, 'get_transaction_event', [hash])).toMatchObject([
      { method: 'requestAttestation', caller: provider, fee_amount: wei(40), fee_recipient: keys.operator.address },
    ])
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
    expect(listAttestations(node, { request_tx_id: hash })).toMatchObject([
      { created_height: BigInt(height), signed_height: BigInt(height + 1), encrypt_sig: false },
    ])
  })

  test('has the hash of the market with the same question', () => {
    const node = startWithStream()
    const { hash } = attest(node, 'price_above_threshold', above(200, '40'))
    const question = { dataProvider: provider, streamId, timestamp: 200 }
    const market = hashQueryComponents(encodeMarketQuestion('price_above_threshold', question, ['40']))
    expect(listAttestations(node, { attestation_hash: market })).toMatchObject([{ request_tx_id: hash }])
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
    const composedId = composeStream(node)
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
      'a provider that is not an address',
      ['nonsense', streamId, 'get_last_record', encodeActionArgs([]), false, null],
      'data_provider must be 0x-prefixed 40 hex characters',
    ],
    [
      'a provider that is not hex digits',
      [`0x${'g'.repeat(40)}`, streamId, 'get_last_record', encodeActionArgs([]), false, null],
      'invalid hexadecimal digit: "g" (SQLSTATE 22023)',
    ],
    [
      'a stream id of another length',
      [provider, 'short', 'get_last_record', encodeActionArgs([]), false, null],
      'stream_id must be 32 characters',
    ],
    [
      'bytes that are not arguments',
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
      const before = balanceOf(node, provider, 'hoodi_tt')
      expect(node.execute(keys.owner, 'request_attestation', args)).toMatchObject({
        code: 65535,
        log: `ERROR: ${text}`,
      })
      expect(balanceOf(node, provider, 'hoodi_tt')).toEqual(before)
      expect(listAttestations(node)).toEqual([])
    })
  }

  test('refuses a wallet that cannot pay, after the action and before the stream', () => {
    const node = startWithStream()
    const args = ['nonsense', streamId, 'get_last_record', encodeActionArgs([]), false, null]
    const { log } = node.execute(keys.stranger, 'request_attestation', args)
    expect(log).toBe('ERROR: Insufficient balance for attestation. Required: 40 TRUF')
  })

  test('is refused twice in one transaction, by the key of the table', () => {
    const node = startWithStream()
    const args = request('price_above_threshold', above(200, '40'))
    expect(node.execute(keys.owner, 'request_attestation', args, args).log).toContain('"attestations_pkey"')
  })

  test('is refused by a node without a key, which takes nothing for it', () => {
    const node = startTestNode({ nodeKey: undefined })
    fund(node, 100)
    const { log } = node.execute(keys.owner, 'request_attestation', request('get_last_record', []))
    expect(log).toContain('tn_attestation is disabled')
    expect(balanceOf(node, provider, 'hoodi_tt')).toBe(wei(100))
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
