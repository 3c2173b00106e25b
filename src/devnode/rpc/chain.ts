/** The `chain.*` methods: blocks and what is in them. */

import { DevnodeError } from '../errors.ts'
import type { Node } from '../node.ts'
import {
  type Block,
  findBlock,
  findBlockByHash,
  findOutcome,
  findTransaction,
  headBlock,
} from '../state/chain.ts'
import { invalidParams, type Method, type Params, textParam } from './method.ts'
import { health, transactionStatus } from './user.ts'

/** Methods by their names. */
export const chainMethods: Readonly<Record<string, Method>> = {
  'chain.version': () => ({
    result: { service: 'chain', api_ver: '0.2.0', major: 0, minor: 2, patch: 0, kwil_ver: 'sluice-devnode' },
  }),
  'chain.health': ({ node }) => ({ result: health(node) }),
  'chain.block_header': ({ node }, params) => ({
    result: { header: headerOf(node, requireBlock(node, params)) },
  }),
  'chain.block': ({ node }, params) => {
    const block = requireBlock(node, params)
    const txns = block.transactions.map((hash) => findTransaction(node.store, hash) ?? null)
    return {
      result: {
        hash: block.hash,
        block: { header: headerOf(node, block), txns },
        commit_info: commitOf(block),
      },
    }
  },
  'chain.block_result': ({ node }, params) => {
    const block = requireBlock(node, params)
    const results = block.transactions.map((hash) => {
      const { code, gas, log } = findOutcome(node.store, hash) ?? { code: 0, gas: 0, log: '' }
      return { code, gas, log, events: [] }
    })
    return { result: { height: block.height, hash: block.hash, tx_results: results } }
  },
  'chain.tx': ({ node }, params) => ({
    result: transactionStatus(node, textParam(params, 'hash').toLowerCase()),
  }),
  'chain.genesis': ({ node }) => ({
    result: {
      chain_id: node.settings.chainId,
      initial_height: 1,
      db_owner: node.settings.managers[0] ?? '',
      leader: node.settings.operator,
      validators: [{ id: node.settings.operator, power: '1' }],
    },
  }),
  'chain.validators': ({ node }) => ({
    result: {
      height: headBlock(node.store)?.height ?? 0,
      validators: [{ id: node.settings.operator, power: '1' }],
    },
  }),
}

function requireBlock(node: Node, params: Params): Block {
  const { height, hash } = params
  if (typeof hash === 'string' && hash !== '') {
    const found = findBlockByHash(node.store, hash.toLowerCase().slice(0, 64))
    if (found !== undefined) return found
    throw new DevnodeError('block_not_found', 'block not found')
  }
  const wanted = height ?? headBlock(node.store)?.height
  if (typeof wanted !== 'number' || !Number.isSafeInteger(wanted) || wanted < 0) {
    throw invalidParams('height is no whole number')
  }
  const found = findBlock(node.store, wanted)
  if (found !== undefined) return found
  throw new DevnodeError('block_not_found', 'block not found')
}

/** The application hash of a header is the one before its transactions ran. */
function headerOf(node: Node, block: Block): object {
  return {
    version: 0,
    height: block.height,
    num_txns: block.transactions.length,
    prev_hash: block.previousHash,
    prev_app_hash: findBlock(node.store, block.height - 1)?.appHash ?? '0'.repeat(64),
    stamp_ms: block.timeMs,
    merkle_root: block.hash,
    vals_hash: '0'.repeat(64),
    params_hash: '0'.repeat(64),
  }
}

function commitOf(block: Block): object {
  return { app_hash: block.appHash, votes: [] }
}
