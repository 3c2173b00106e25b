/** JSON Schemas of the parameters that several methods share. */

import { bridges } from '../profiles.ts'

/** A JSON Schema, as far as parameters need it. */
export type Schema = Readonly<Record<string, unknown>>

/** Declares text. */
export function text(description: string): Schema {
  return { type: 'string', description }
}

/** Declares text of a form. */
export function pattern(expression: string, description: string): Schema {
  return { type: 'string', pattern: expression, description }
}

/** Declares a whole number from `minimum` on, which is `otherwise` when left out. */
export function whole(minimum: number, description: string, otherwise?: number): Schema {
  return { type: 'integer', minimum, description, ...(otherwise !== undefined && { default: otherwise }) }
}

/** Declares true or false, which is `otherwise` when left out. */
export function flag(description: string, otherwise?: boolean): Schema {
  return { type: 'boolean', description, ...(otherwise !== undefined && { default: otherwise }) }
}

/** Declares a list. */
export function list(items: Schema): Schema {
  return { type: 'array', items }
}

/** A hash. */
export const hash = pattern('^[0-9a-fA-F]{64}$', '64 hex digits without 0x.')
/** An address. */
export const wallet = pattern('^0x[0-9a-fA-F]{40}$', 'An address.')
/** An amount of tokens. */
export const amount = pattern('^\\d{1,78}$', "In the token's smallest unit.")
/** A bridge. */
export const bridge: Schema = {
  enum: [...bridges, 'sepolia_bridge', 'ethereum_bridge'],
  description: 'The bridge, by the prefix of its actions or the name its clients know.',
}
/** Bytes in base64. */
export const bytes: Schema = { type: 'string', contentEncoding: 'base64' }

/** A transaction. */
export const transaction: Schema = {
  type: 'object',
  description: 'A transaction as clients of the network send it.',
  required: ['signature', 'body', 'serialization', 'sender'],
  properties: {
    signature: {
      type: 'object',
      required: ['sig', 'type'],
      properties: { sig: { type: ['string', 'null'], contentEncoding: 'base64' }, type: { type: 'string' } },
    },
    body: {
      type: 'object',
      required: ['payload', 'type'],
      properties: {
        desc: { type: 'string' },
        payload: bytes,
        type: { enum: ['execute', 'maa_exec', 'raw_statement', 'transfer'] },
        fee: { type: ['string', 'null'] },
        nonce: { type: ['integer', 'null'] },
        chain_id: { type: 'string' },
      },
    },
    serialization: { type: 'string', default: 'concat' },
    sender: { type: 'string', pattern: '^[0-9a-fA-F]{40}$' },
  },
}

/** The parameters that name a block. */
export const block = { height: whole(0, 'The height; the last block when left out.'), hash }
/** The id of a stream. */
export const streamId = pattern('^st[a-z0-9]{30}$', 'The stream.')
/** The parameters that name a transaction of another chain. */
export const external = {
  external_tx_hash: pattern('^(0x)?[0-9a-fA-F]{64}$', 'The transaction on the other chain.'),
  external_block_height: whole(0, 'Its block there.', 0),
}
/** The parameters that name a role. */
export const role = {
  owner: { type: 'string', default: 'system', description: 'system, or an address.' },
  role: { type: 'string', default: 'network_writer', description: 'The name of the role.' },
}
/** Further parameters of a signed call of local streams. */
export const envelope = {
  _auth: {
    type: 'object',
    description: "The operator's signature, where the node asks for one.",
    required: ['sig', 'ts', 'ver'],
    properties: { sig: { type: 'string' }, ts: { type: 'integer' }, ver: { const: 'tn_local.auth.v1' } },
  },
}
/** The bounds of a read. */
export const range = {
  from_time: { type: 'integer', description: 'From this Unix time in seconds on.' },
  to_time: { type: 'integer', description: 'Up to this Unix time in seconds.' },
}
