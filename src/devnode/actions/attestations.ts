/** Actions on attestations: ask for one, sign it, read it. */

import { divideRounded } from '../../base/decimal.ts'
import { decodeHex, encodeHex } from '../../base/hex.ts'
import { digestAttestation, hashQuestion } from '../../streamnet/codec/attestation.ts'
import { listAttestations, listParameters } from '../attestations/list.ts'
import { encodeProvider, encodeStreamId, prepareArgs, requireActionId, writePayload } from '../attestations/request.ts'
import { actionError, duplicateError, engineError, requireColumn } from '../errors.ts'
import type { Profile } from '../profiles.ts'
import { compressKey, recoverKey } from '../recovery.ts'
import {
  type Attestation,
  addAttestation,
  findAttestation,
  hasRequested,
  putAttestation,
  type Seal,
} from '../state/attestations.ts'
import {
  type Action,
  type ActionContext,
  type ArgumentsOf,
  change,
  columns,
  listing,
  locator,
  row,
  view,
} from './action.ts'
import { readTxId } from './checks.ts'
import { chargeFee, recordPayment } from './fees.ts'

const requestParameters = {
  ...locator,
  action_name: 'TEXT',
  args_bytes: 'BYTEA',
  encrypt_sig: 'BOOLEAN',
  max_fee: 'NUMERIC(78,0)',
} as const

const signatureParameters = { request_tx_id: 'TEXT', signature: 'BYTEA' } as const

const asked = {
  request_tx_id: ['TEXT', (one: Attestation) => one.requestTxId],
  attestation_hash: ['BYTEA', (one: Attestation) => decodeHex(one.hash)],
  requester: ['BYTEA', (one: Attestation) => decodeHex(one.requester.slice(2))],
} as const
const listed = columns<Attestation>({
  ...asked,
  data_provider: ['TEXT', (one) => one.dataProvider],
  stream_id: ['TEXT', (one) => one.streamId],
  created_height: ['INT8', (one) => one.createdHeight],
  signed_height: ['INT8', (one) => one.seal?.signedHeight],
  encrypt_sig: ['BOOLEAN', () => false],
})
const ofTransaction = columns<Attestation & { readonly profile: Profile }>({
  ...asked,
  result_canonical: ['BYTEA', (one) => one.payload],
  encrypt_sig: ['BOOLEAN', () => false],
  created_height: ['INT8', (one) => one.createdHeight],
  signature: ['BYTEA', (one) => one.seal?.signature],
  validator_pubkey: ['BYTEA', ({ payload, seal, profile }) => seal && recoverValidator(payload, seal, profile)],
  signed_height: ['INT8', (one) => one.seal?.signedHeight],
})

/** The network's actions on attestations. */
export const attestationActions: readonly Action[] = [
  change(
    'request_attestation',
    requestParameters,
    requestAttestation,
    row({ request_tx_id: 'TEXT', attestation_hash: 'BYTEA' }),
  ),
  change('sign_attestation', signatureParameters, signAttestation),
  view('get_signed_attestation', { request_tx_id: 'TEXT' }, row({ payload: 'BYTEA' }), (context, { request_tx_id }) => {
    const { payload, seal } = requireAttestation(context, request_tx_id)
    if (seal === undefined) throw actionError(`Attestation not yet signed: ${request_tx_id}`)
    return [[Uint8Array.from([...payload, ...seal.signature])]]
  }),
  listing('list_attestations', listParameters, listed, listAttestations),
  listing('get_transaction_attestation', { tx_id: 'TEXT' }, ofTransaction, ({ store, profile }, { tx_id }) => {
    const txId = readTxId(tx_id)
    const found = txId === null ? undefined : findAttestation(store, txId)
    return found === undefined ? [] : [{ ...found, profile }]
  }),
]

/** The checks in the network's order: what the wallet may and can pay comes before what it asks for. */
function requestAttestation(context: ActionContext, args: ArgumentsOf<typeof requestParameters>): void {
  const { profile, store, height, txId } = context
  assertSigns(context)
  if (args.encrypt_sig === true) throw actionError('Encryption not implemented')
  const actionId = requireActionId(args.action_name)
  assertAffordable(profile.attestationFee, args.max_fee)
  const payment = chargeFee(context, profile.attestationFee, 'Insufficient balance for attestation. Required: 40 TRUF')
  const question = {
    actionId,
    action: args.action_name ?? '',
    dataProvider: encodeProvider(args.data_provider),
    streamId: encodeStreamId(args.stream_id),
    args: prepareArgs(actionId, args.args_bytes, profile),
  }
  const request = {
    requestTxId: txId,
    hash: encodeHex(hashQuestion(question)),
    requester: context.caller.toLowerCase(),
    dataProvider: args.data_provider,
    streamId: args.stream_id,
    payload: writePayload(context, question),
    createdHeight: height,
  }
  requireColumn(args.encrypt_sig, 'encrypt_sig', 'attestations')
  if (findAttestation(store, txId) !== undefined) throw duplicateError('attestations_pkey')
  if (hasRequested(store, request)) throw duplicateError('uq_att_composite')
  addAttestation(store, request)
  recordPayment(context, 'requestAttestation', payment)
}

function signAttestation(context: ActionContext, args: ArgumentsOf<typeof signatureParameters>): void {
  const { request_tx_id, signature } = args
  const signer = context.caller.toLowerCase()
  if (signer !== context.leader) {
    throw actionError(
      `Only the current block leader may sign attestations. leader=${context.leader.slice(2)} signer=${signer.slice(2)}`,
    )
  }
  if (request_tx_id === null) throw actionError('Request transaction ID is required')
  if (signature === null) throw actionError('Signature is required')
  const found = requireAttestation(context, request_tx_id)
  if (found.seal !== undefined) throw actionError(`Attestation already signed: ${request_tx_id}`)
  putAttestation(context.store, { ...found, seal: { signature, validator: signer, signedHeight: context.height } })
}

function assertSigns({ hasNodeKey }: ActionContext): void {
  if (hasNodeKey) return
  throw engineError('tn_attestation is disabled: this node has no key to sign with, expected STREAMNET_NODE_KEY')
}

const token = 10n ** 18n

function assertAffordable(fee: bigint, maxFee: bigint | null): void {
  if (maxFee === null || maxFee <= 0n || fee <= maxFee) return
  throw actionError(
    // The network's engine rounds what it divides half away from zero.
    `Attestation fee (${fee / token} TRUF) exceeds caller max_fee limit: ${divideRounded(maxFee, token)} TRUF`,
  )
}

/** @throws DevnodeError action_failed when the id is unknown; the network knows it only without `0x`. */
function requireAttestation({ store }: ActionContext, requestTxId: string | null): Attestation {
  const found = requestTxId === null ? undefined : findAttestation(store, requestTxId)
  if (found !== undefined) return found
  throw actionError(requestTxId === null ? '' : `Attestation not found: ${requestTxId}`)
}

/** Names a validator by the public key of its signature, today, or by its address where the key does not fit. */
function recoverValidator(payload: Uint8Array, { signature, validator }: Seal, { answers }: Profile): Uint8Array {
  const isCurrent = answers === 'current'
  const key = isCurrent ? recoverKey(validator, digestAttestation(payload), signature) : undefined
  return key === undefined ? decodeHex(validator.slice(2)) : compressKey(key)
}
