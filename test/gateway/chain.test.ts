import { describe, expect, it } from 'vitest'
import {
  formatPosition,
  listBlocks,
  listTransactions,
  parsePosition,
  showBlock,
  showTransaction,
} from '#gateway/chain.ts'
import { encodeActionExecution } from '#streamnet/codec/payload.ts'
import { type Client, isStreamNetError, StreamNetError } from '#streamnet/index.ts'
import { transactionToJson } from '#streamnet/rpc/transaction-json.ts'
import { hashTransactionSync } from '#streamnet/signing/sync-signer.ts'
import { keys, signTransaction } from '../support/devnode.ts'

const transactionOf = (nonce: number) =>
  signTransaction(keys.stranger, {
    chainId: 'fake',
    nonce,
    payload: encodeActionExecution({ namespace: 'main', action: 'whoami', calls: [[]] }),
  })

/** A chain of blocks with so many transactions each; heights begin at 1. */
function chainOf(counts: readonly number[], firstKept = 1): { client: Client; asked: number[] } {
  const asked: number[] = []
  let nonce = 0
  const blocks = counts.map((count) => Array.from({ length: count }, () => transactionOf(++nonce)))
  const at = (height: number) => {
    const transactions = blocks[height - 1]
    if (transactions === undefined || height < firstKept) {
      throw new StreamNetError('not_found', 'block not found', { reason: '' })
    }
    return transactions
  }
  const answers: Record<string, (params: { height: number; tx_hash: string }) => unknown> = {
    'user.chain_info': () => ({ block_height: counts.length }),
    'chain.block': ({ height }) => {
      asked.push(height)
      // Odd heights as today's nodes write them.
      const header =
        height % 2 === 1
          ? { Timestamp: new Date(height * 1000).toISOString(), PrevHash: `p${height}` }
          : { stamp_ms: height * 1000, prev_hash: `p${height}` }
      const txns = at(height).map(transactionToJson)
      return { hash: `h${height}`, block: { header, txns: txns.length === 0 ? null : txns } }
    },
    'chain.block_result': ({ height }) => ({ tx_results: at(height).map((_, index) => ({ code: index })) }),
    'user.tx_query': ({ tx_hash }) => {
      const height = blocks.findIndex((block) => block.some((one) => hashTransactionSync(one) === tx_hash)) + 1
      const tx = at(height).find((one) => hashTransactionSync(one) === tx_hash)
      return { tx_hash, height, tx: tx && transactionToJson(tx), tx_result: { code: 0, log: '' } }
    },
    'user.call': () => ({ query_result: { column_names: [], column_types: [], values: [] }, logs: '', error: null }),
  }
  // Only the members that the functions use.
  const client = {
    request: async (method: string, params: { height: number; tx_hash: string }) => answers[method]?.(params),
  } as unknown as Client
  return { client, asked }
}

describe('listBlocks()', () => {
  it('walks from the newest block to the first, a page at a time', async () => {
    const { client } = chainOf([0, 2, 0, 1, 0])
    const first = await listBlocks(client, 2)
    expect(first.blocks.map(({ height, transactions }) => [height, transactions])).toEqual([
      [5, 0],
      [4, 1],
    ])
    expect(first.blocks.map(({ time_ms, previous_hash }) => [time_ms, previous_hash])).toEqual([
      [5000, 'p5'],
      [4000, 'p4'],
    ])
    const second = await listBlocks(client, 3, parsePosition(first.next ?? ''))
    expect([second.blocks.map(({ height }) => height), second.next]).toEqual([[3, 2, 1], undefined])
  })

  it('leaves out blocks that the node does not have', async () => {
    const { client } = chainOf([1, 1, 1, 1], 3)
    expect((await listBlocks(client, 10)).blocks.map(({ height }) => height)).toEqual([4, 3])
  })
})

describe('listTransactions()', () => {
  it('returns every transaction once, newest first, with pages of any size', async () => {
    const { client } = chainOf([1, 3, 0, 2, 0, 7])
    for (const limit of [1, 2, 3, 5, 100]) {
      const seen: string[] = []
      for (let next: string | undefined = '99'; next !== undefined; ) {
        const page: Awaited<ReturnType<typeof listTransactions>> = await listTransactions(
          client,
          limit,
          parsePosition(next),
        )
        expect(page.transactions.length).toBeLessThanOrEqual(limit)
        seen.push(...page.transactions.map(({ height, index }) => formatPosition({ height, index })))
        next = page.next
      }
      const all = [...Array(7).keys()].map((index) => `6-${6 - index}`)
      expect(seen).toEqual([...all, '4-1', '4-0', '2-2', '2-1', '2-0', '1-0'])
    }
  })

  it('reads at most a hundred blocks for a page, and says where to go on', async () => {
    const { client, asked } = chainOf([1, ...Array.from({ length: 150 }, () => 0)])
    const page = await listTransactions(client, 20)
    expect([page.transactions, page.next, asked.length]).toEqual([[], '52', 100])
    const rest = await listTransactions(client, 20, parsePosition(page.next ?? ''))
    expect([rest.transactions.length, rest.next]).toEqual([1, undefined])
  })
})

describe('showBlock()', () => {
  it('has its transactions in their order, and refuses a height that does not exist', async () => {
    const { client } = chainOf([0, 3])
    const { height, list } = await showBlock(client, 2)
    expect([height, list.map(({ code, nonce }) => [code, nonce])]).toEqual([
      2,
      [
        [0, 1],
        [1, 2],
        [2, 3],
      ],
    ])
    const refusal = await showBlock(client, 3).catch((error: unknown) => error)
    expect(isStreamNetError(refusal, 'not_found')).toBe(true)
  })
})

describe('showTransaction()', () => {
  it('finds a transaction by its hash, with the time of its block', async () => {
    const { client } = chainOf([0, 1])
    const hash = hashTransactionSync(transactionOf(1))
    expect(await showTransaction(client, `0x${hash}`)).toMatchObject({
      hash,
      height: 2,
      time_ms: 2000,
      payload: { action: 'whoami', calls: 1 },
      event: null,
    })
  })
})

describe('parsePosition()', () => {
  it('reads what formatPosition() writes, and nothing else', () => {
    for (const position of [{ height: 7 }, { height: 7, index: 0 }]) {
      expect(parsePosition(formatPosition(position))).toEqual(position)
    }
    for (const text of ['', '-1', '7-', 'x', '7-1-2', '1e3']) expect(parsePosition(text)).toBeUndefined()
  })
})
