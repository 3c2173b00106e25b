/** Examples of the operations about attestations: what they send, and what they make of an answer. */

import { expect } from 'vitest'
import { encodeActionArgs } from '#streamnet/market-question.ts'
import { bytes } from '../loopback-node.ts'
import { type Examples, hash, id, other, otherChecksum } from './values.ts'

/** Examples by the names of their operations. */
export const attestationExamples: Examples = {
  request_attestation: {
    params: { dataProvider: other, streamId: id, actionName: 'get_last_record', args: [other, id, null], maxFee: '40' },
    action: 'request_attestation',
    args: [other, id, 'get_last_record', encodeActionArgs([other, id, null]), false, '40'],
  },
  get_signed_attestation: {
    params: { requestTxId: `0x${hash.toUpperCase()}` },
    action: 'get_signed_attestation',
    args: [hash],
    answer: { rows: [[bytes(hash)]] },
    result: bytes(hash),
  },
  list_attestations: {
    params: { requester: other, limit: 5, requestTxId: `0x${hash}` },
    action: 'list_attestations',
    args: [bytes(other.slice(2)), hash, null, null, 5n, 0n, null],
    result: [],
  },
  parse_attestation_payload: {
    params: {
      payload: bytes(
        `01000000000000003039${'00000014'}${'01'.repeat(20)}00000020${'61'.repeat(32)}0006${'00000000'}00000020${'00'.repeat(31)}01`,
      ),
    },
    result: expect.objectContaining({ blockHeight: 12345, actionId: 6, result: [{ values: [true] }] }),
  },
  verify_attestation_signature: {
    params: {
      attestation: bytes(
        '01000000000000003039000000140102030405060708090a0b0c0d0e0f1011121314000000207374616930303030303030303030303030303030303030303030303030303030000600000028010000002000000000000f0000000000000000047465787400000000000100050000000174657374000000200000000000000000000000000000000000000000000000000000000000000001' +
          '0010983b48187eda3071c4471c5718a4b1b988e1aa7115b18b313b5a0d47d19a41cffcb5ad76ce1c7efedddf8dd4c8d08b2122133fb2c60ff0c1bdc42f587ef81b',
      ),
    },
    result: expect.objectContaining({ validatorAddress: otherChecksum }),
  },
}
