import { describe, expect, test } from 'vitest'
import { decodeHex, encodeHex } from '#base/hex.ts'
import { profiles } from '#devnode/profiles.ts'
import type { ActionArg } from '#streamnet/types.ts'
import {
  above,
  attest,
  fund,
  listAttestations,
  provider,
  request,
  startWithStream,
} from '../../support/attestations.ts'
import { keys, namedRows, type TestNode } from '../../support/devnode.ts'

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
    expect(namedRows(node, 'get_transaction_attestation', [`0x${hash}`])).toMatchObject([
      { signature: new Uint8Array(65).fill(7), validator_pubkey: decodeHex(keys.operator.address.slice(2)) },
    ])
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
    const list = (filter: Parameters<typeof listAttestations>[1]) =>
      listAttestations(node, filter).map(({ request_tx_id }) => request_tx_id)
    expect(list({})).toEqual([three, two, one])
    expect(list({ limit: 2, offset: 1, order_by: 'created_height asc' })).toEqual([two, three])
    expect(list({ requester: decodeHex(provider.slice(2)) })).toEqual([three, one])
    const [row] = namedRows(node, 'get_transaction_attestation', [two])
    expect(list({ attestation_hash: row?.attestation_hash as Uint8Array })).toEqual([two])
    expect(list({ result_canonical: row?.result_canonical as Uint8Array })).toEqual([two])
    expect(list({ request_tx_id: 'unknown' })).toEqual([])
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
      const [row] = namedRows(node, 'get_transaction_attestation', [hash])
      return encodeHex(row?.validator_pubkey as Uint8Array)
    }
    // The public key of the private key 2, as a real node with that key gives it.
    expect(validatorOn(profiles.head)).toBe('02c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5')
    expect(validatorOn({ ...profiles.head, answers: 'described' })).toBe(keys.operator.address.slice(2))
  })
})
