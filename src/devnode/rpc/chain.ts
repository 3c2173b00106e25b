/** The `chain.*` methods: blocks and what is in them. */

import { DevnodeError } from '../errors.ts'
import type { Node } from '../node.ts'
import { operatorOfKeyTwo } from '../setting-table.ts'
import {
  type Block,
  findBlock,
  findBlockByHash,
  findOutcome,
  findTransaction,
  headBlock,
  zeroHash,
} from '../state/chain.ts'
import { invalidParams, isCurrent, type Method, type Params, textParam } from './method.ts'
import { describeOutcome, transactionStatus } from './transactions.ts'
import { health } from './user.ts'

/** Methods by their names. */
export const chainMethods: Readonly<Record<string, Method>> = {
  'chain.version': () => ({
    result: { service: 'chain', api_ver: '0.2.0', major: 0, minor: 2, patch: 0, kwil_ver: 'sluice-devnode' },
  }),
  'chain.health': ({ node }) => ({ result: chainHealth(node) }),
  'chain.block_header': ({ node }, params) => {
    const block = requireBlock(node, params)
    return { result: isCurrent(node) ? describeCurrentHeader(node, block) : { header: describeHeader(node, block) } }
  },
  'chain.block': ({ node }, params) => {
    const block = requireBlock(node, params)
    const txns = block.transactions.map((hash) => findTransaction(node.store, hash) ?? null)
    return {
      result: {
        hash: block.hash,
        block: { header: describeHeader(node, block), txns },
        commit_info: { app_hash: block.appHash, votes: [] },
      },
    }
  },
  'chain.block_result': ({ node }, params) => {
    const block = requireBlock(node, params)
    const results = block.transactions.map((hash) =>
      describeOutcome(node, findOutcome(node.store, hash) ?? { code: 0, gas: 0, log: '' }),
    )
    return { result: { height: block.height, hash: block.hash, tx_results: results } }
  },
  'chain.tx': ({ node }, params) => ({ result: transactionStatus(node, textParam(params, 'hash').toLowerCase()) }),
  'chain.genesis': ({ node }) => ({
    result: {
      chain_id: node.settings.chainId,
      initial_height: 1,
      db_owner: node.settings.managers[0] ?? '',
      leader: isCurrent(node) ? { type: 'secp256k1', key: findPublicKey(node) } : node.settings.operator,
      validators: listValidators(node),
    },
  }),
  'chain.validators': ({ node }) => ({
    result: { height: headBlock(node.store)?.height ?? 0, validators: listValidators(node) },
  }),
}

function chainHealth(node: Node): object {
  if (!isCurrent(node)) return health(node)
  const head = headBlock(node.store)
  return { chain_id: node.settings.chainId, height: head?.height ?? 0, healthy: head !== undefined }
}

/** The public key of the private key 2, which makes the blocks where no operator is named. */
const publicKeyTwo = '02c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5'

/** The public key of who makes the blocks; of a configured operator the node knows only the address. */
function findPublicKey({ settings: { operator } }: Node): string {
  return operator === operatorOfKeyTwo ? publicKeyTwo : operator.slice(2)
}

function listValidators(node: Node): readonly object[] {
  if (!isCurrent(node)) return [{ id: node.settings.operator, power: '1' }]
  return [{ pubkey: findPublicKey(node), type: 'secp256k1', power: 1 }]
}

/** A header as today's network writes it: flat, names as its source has them, the time in words. */
function describeCurrentHeader(node: Node, block: Block): object {
  return {
    Version: 0,
    Height: block.height,
    NumTxns: block.transactions.length,
    PrevHash: block.previousHash,
    PrevAppHash: findBlock(node.store, block.height - 1)?.appHash ?? zeroHash,
    Timestamp: new Date(block.timeMs).toISOString(),
    MerkleRoot: block.hash,
    ValidatorSetHash: zeroHash,
    NetworkParamsHash: zeroHash,
    NewLeader: null,
  }
}

function requireBlock(node: Node, params: Params): Block {
  const { height, hash } = params
  if (typeof hash === 'string' && hash !== '') {
    return requireFound(findBlockByHash(node.store, hash.toLowerCase().slice(0, 64)))
  }
  const wanted = height ?? headBlock(node.store)?.height
  if (typeof wanted !== 'number' || !Number.isSafeInteger(wanted) || wanted < 0) {
    throw invalidParams('height is not a whole number')
  }
  return requireFound(findBlock(node.store, wanted))
}

function requireFound(block: Block | undefined): Block {
  if (block !== undefined) return block
  throw new DevnodeError('block_not_found', 'block not found')
}

/** The application hash of a header is the one before its transactions ran. */
function describeHeader(node: Node, block: Block): object {
  return {
    version: 0,
    height: block.height,
    num_txns: block.transactions.length,
    prev_hash: block.previousHash,
    prev_app_hash: findBlock(node.store, block.height - 1)?.appHash ?? zeroHash,
    stamp_ms: block.timeMs,
    merkle_root: block.hash,
    vals_hash: zeroHash,
    params_hash: zeroHash,
  }
}
