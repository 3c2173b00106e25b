/** Metrics of a development node: its chain, its pool, and the results of transactions. */

import { formatMetrics, type MetricFamily } from '../base/prometheus.ts'
import type { LedgerStore } from './ports.ts'
import { findBlock, findOutcome, headBlock } from './state/chain.ts'
import { poolSize } from './state/pool.ts'

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
  const one = (name: string, type: MetricFamily['type'], help: string, value: number): MetricFamily => ({
    name,
    type,
    help,
    series: [{ labels: [], value }],
  })
  const times =
    head === undefined
      ? []
      : [one('sluice_node_block_timestamp_seconds', 'gauge', 'Time of the last block', head.timeMs / 1000)]
  return formatMetrics([
    one('sluice_node_block_height', 'gauge', 'Height of the last block', head?.height ?? 0),
    ...times,
    one('sluice_node_mempool_transactions', 'gauge', 'Transactions that wait for a block', poolSize(store)),
    one('sluice_node_blocks_total', 'counter', 'Blocks made since the node was opened', tally.blocks),
    {
      name: 'sluice_node_transactions_total',
      type: 'counter',
      help: 'Transactions in these blocks by the code of their result',
      series: [...tally.transactions].map(([code, value]) => ({ labels: [['code', String(code)]], value })),
    },
  ])
}
