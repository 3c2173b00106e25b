/** The catalogue's entries about attestations. */

import { execute, list, local, nullable, optional, page, record, required, shared, table, view } from './entry.ts'

/** Attestations. */
export const attestations = [
  execute(
    'request_attestation',
    [
      required('data_provider', 'address', "The stream's owner."),
      shared.streamId,
      required('action_name', 'string', 'The action whose answer is attested.'),
      required('args', { anyOf: [list('argument'), 'bytes'] }, 'Its arguments, or their canonical bytes.'),
      optional('encrypt_sig', 'boolean', 'Not supported by the network yet.', { default: false }),
      optional('max_fee', 'wei', 'The most it may cost.'),
    ],
    "Asks for an attestation of an action's answer.",
  ),
  view(
    'get_signed_attestation',
    [required('request_tx_id', 'string', 'The transaction that asked for it.')],
    'bytes',
    'Reads a signed attestation: payload, then signature.',
  ),
  view(
    'list_attestations',
    [
      optional('requester', 'address', 'Only of this wallet.'),
      optional('request_tx_id', 'string', 'Only of this transaction.'),
      optional('attestation_hash', 'bytes', 'Only of this hash.'),
      optional('result_canonical', 'bytes', 'Only of this result.'),
      ...page(5000, 5000),
      optional('order_by', 'string', 'The order, such as created_height desc.'),
    ],
    table({
      request_tx_id: 'string',
      attestation_hash: 'bytes',
      requester: 'bytes',
      data_provider: nullable('address'),
      stream_id: nullable('string'),
      created_height: 'integer',
      signed_height: nullable('integer'),
      encrypt_sig: nullable('boolean'),
    }),
    'Lists requested attestations.',
  ),
  local(
    'parse_attestation_payload',
    [required('payload', 'bytes', 'The payload without the 65 bytes of its signature.')],
    record({
      version: 'integer',
      algorithm: 'integer',
      block_height: 'integer',
      data_provider: 'address',
      stream_id: 'string',
      action_id: 'integer',
      arguments: list('argument'),
      result: table({ values: list({ anyOf: ['string', 'boolean'] }) }),
    }),
    'Parses the payload of an attestation.',
  ),
  local(
    'verify_attestation_signature',
    [required('attestation', 'bytes', 'The payload with its signature.')],
    record({ validator_address: 'address', canonical_payload: 'bytes', signature: 'bytes' }),
    'Finds who signed an attestation.',
  ),
]
