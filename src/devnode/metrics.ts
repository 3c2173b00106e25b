/** Metrics of a development node: its chain, its pool, and the results of transactions. */

import { formatMetrics } from '../base/prometheus.ts'
import type { LedgerStore } from './ports.ts'
import { findBlock, findOutcome, headBlock, poolSize } from './state/chain.ts'

/** Counts since the node was opened. */
export interface NodeTally {
  /** Height of the last block that was counted. */
  height: number
  blocks: number
  /** Transactions in blocks by the code of their result. */
  readonly transactions: Map<number, number>
}

/** Starts at zero, after the last block of the chain. */
export function openNodeTally(store: LedgerStore): NodeTally {
  return { height: headBlock(store)?.height ?? 0, blocks: 0, transactions: new Map() }
}

/** Counts the blocks that were made since the last call. */
export function countBlocks(tally: NodeTally, store: LedgerStore): void {
  const head = headBlock(store)?.height ?? 0
  // A development method may have removed blocks. Counters of Prometheus never go down, so their counts stay.
  for (let height = Math.min(tally.height, head) + 1; height <= head; height++) {
    tally.blocks += 1
    for (const hash of findBlock(store, height)?.transactions ?? []) {
      const code = findOutcome(store, hash)?.code ?? 0
      tally.transactions.set(code, (tally.transactions.get(code) ?? 0) + 1)
    }
  }
  tally.height = head
}

/** Writes the metrics of a node in the text format of Prometheus. */
export function formatNodeMetrics(tally: NodeTally, store: LedgerStore): string {
  const head = headBlock(store)
  return formatMetrics([
    {
      name: 'sluice_node_block_height',
      type: 'gauge',
      help: 'Height of the last block',
      series: [{ labels: [], value: head?.height ?? 0 }],
    },
    {
      name: 'sluice_node_block_timestamp_seconds',
      type: 'gauge',
      help: 'Time of the last block',
      series: head === undefined ? [] : [{ labels: [], value: head.timeMs / 1000 }],
    },
    {
      name: 'sluice_node_mempool_transactions',
      type: 'gauge',
      help: 'Transactions that wait for a block',
      series: [{ labels: [], value: poolSize(store) }],
    },
    {
      name: 'sluice_node_blocks_total',
      type: 'counter',
      help: 'Blocks made since the node was opened',
      series: [{ labels: [], value: tally.blocks }],
    },
    {
      name: 'sluice_node_transactions_total',
      type: 'counter',
      help: 'Transactions in these blocks by the code of their result',
      series: [...tally.transactions].map(([code, value]) => ({ labels: [['code', String(code)]], value })),
    },
  ])
}
