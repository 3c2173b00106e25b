import { describe, expect, test } from 'vitest'
import { encodeHex } from '#base/hex.ts'
import { findSignedAttestation, isRequested } from '#devnode/state/attestations.ts'
import { encodeActionArgs } from '#streamnet/market-question.ts'
import {
  above,
  listAttestations,
  provider,
  request,
  resultOf,
  signed,
  startWithStream,
  streamId,
} from '../../support/attestations.ts'
import { keys } from '../../support/devnode.ts'

describe('signAttestations()', () => {
  test('leaves an attestation whose signature was lost unsigned until the question is asked again', () => {
    const node = startWithStream()
    node.rpc('dev.failNext', { error: 'signature_lost' })
    const args = request('price_above_threshold', above(200, '40'))
    const first = node.must(keys.owner, 'request_attestation', ...args)
    node.rpc('dev.mine', { blocks: 5 })
    const text = `Attestation not yet signed: ${first.hash}`
    expect(() => signed(node, first.hash)).toThrow(text)
    const [listed] = listAttestations(node, { request_tx_id: first.hash })
    const hash = encodeHex(listed?.attestation_hash as Uint8Array)
    expect(isRequested(node.store, hash)).toBe(true)
    expect(findSignedAttestation(node.store, hash)).toBeUndefined()
    const second = node.must(keys.owner, 'request_attestation', ...args)
    for (const { hash } of [first, second]) expect(resultOf(node, hash)).toEqual([[true]])
  })

  test('signs with the next block of a node that mines by hand', () => {
    const node = startWithStream()
    node.rpc('dev.setAutomine', { enabled: false })
    const args = request('price_above_threshold', above(200, '40'))
    const { hash } = node.execute(keys.owner, 'request_attestation', args)
    node.rpc('dev.mine')
    expect(() => signed(node, hash)).toThrow('Attestation not yet signed')
    node.rpc('dev.mine')
    expect(resultOf(node, hash)).toEqual([[true]])
  })

  test('does not sign a payload that a contract could not read', () => {
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
