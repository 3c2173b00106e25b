/** A node with a stream, and requests of attestations about it. */

import { profiles } from '#devnode/profiles.ts'
import { parseAttestationPayload } from '#streamnet/attestation.ts'
import { numeric } from '#streamnet/codec/value.ts'
import { encodeActionArgs } from '#streamnet/market-question.ts'
import type { ActionArg } from '#streamnet/types.ts'
import { wei } from './bridges.ts'
import { keys, namedRows, startTestNode, type TestNode } from './devnode.ts'

/** The stream of `startWithStream`. */
export const streamId = `st${'a'.repeat(30)}`
/** The provider of the stream. */
export const provider = keys.owner.address

/** A node with a stream of values 40, 42 and 41 at the times 100, 200 and 300, and money for the owner. */
export function startWithStream(profile = profiles.head): TestNode {
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

/** Adds a composed stream whose only child is the stream, and gives its id. */
export function composeStream(node: TestNode): string {
  const composedId = `st${'b'.repeat(30)}`
  node.must(keys.owner, 'create_stream', composedId, 'composed')
  node.must(keys.owner, 'insert_taxonomy', provider, composedId, [provider], [streamId], numeric(['1']), 0)
  return composedId
}

/** Sets the tokens of a wallet that fees are paid in. */
export function fund(node: TestNode, tokens: number, wallet = provider): void {
  node.rpc('dev.setBalance', { bridge: 'hoodi_tt', wallet, amount: wei(tokens) })
}

/** The arguments of `price_above_threshold` for the stream. */
export const above = (time: number, threshold: string): readonly ActionArg[] => [
  provider,
  streamId,
  time,
  numeric(threshold),
  null,
]

/** The arguments of a request of one's own stream. */
export function request(action: string, args: readonly ActionArg[], rest: readonly ActionArg[] = [false, null]) {
  return [provider, streamId, action, encodeActionArgs(args), ...rest]
}

/** Requests what the owner may ask of the stream. */
export function attest(node: TestNode, action: string, args: readonly ActionArg[]): { hash: string } {
  return node.must(keys.owner, 'request_attestation', ...request(action, args))
}

/** The payload and the signature of an attestation that is signed. */
export function signed(node: TestNode, hash: string): Uint8Array {
  return node.view('get_signed_attestation', [hash])[0]?.[0] as Uint8Array
}

/** The values that an attestation says. */
export function resultOf(node: TestNode, hash: string): readonly (readonly unknown[])[] {
  return parseAttestationPayload(signed(node, hash).subarray(0, -65)).result.map(({ values }) => values)
}

const filterNames = [
  'requester',
  'request_tx_id',
  'attestation_hash',
  'result_canonical',
  'limit',
  'offset',
  'order_by',
] as const

/** The attestations that a filter finds. */
export function listAttestations(
  node: TestNode,
  filter: Readonly<Partial<Record<(typeof filterNames)[number], ActionArg>>> = {},
) {
  const args = filterNames.map((name) => filter[name] ?? null)
  return namedRows(node, 'list_attestations', args)
}
