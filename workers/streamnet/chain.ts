/** The routes of the explorer: newest blocks and transactions, a page at a time, and one of each. */

import { assertAllowed } from '#gateway/access.ts'
import {
  listBlocks,
  listTransactions,
  type Position,
  pageSizes,
  parsePosition,
  showBlock,
  showTransaction,
} from '#gateway/chain.ts'
import { assertNoMistakes, GatewayError, type Mistake } from '#gateway/errors.ts'
import { wanted } from '#gateway/param-mistakes.ts'
import { answerResult } from './answers.ts'
import { type Call, openClient } from './call.ts'

/** The milliseconds that an answer may take in all. */
const budgetMs = 20_000

/** `GET /streamnet/v1/blocks?before=&limit=`. */
export async function getBlocks(call: Call): Promise<Response> {
  const { limit, before } = readPage(call)
  return answerResult(await listBlocks(openClient(call, budgetMs), limit, before))
}

/** `GET /streamnet/v1/transactions?before=&limit=`. */
export async function getTransactions(call: Call): Promise<Response> {
  const { limit, before } = readPage(call)
  return answerResult(await listTransactions(openClient(call, budgetMs), limit, before))
}

/** `GET /streamnet/v1/blocks/{height}`. */
export async function getBlock(call: Call, height: string): Promise<Response> {
  allow(call)
  if (/^[1-9]\d{0,14}$/.test(height)) return answerResult(await showBlock(openClient(call, budgetMs), Number(height)))
  const mistakes = [{ path: 'height', message: `expected a height from 1, not "${height.slice(0, 64)}"` }]
  throw new GatewayError('invalid_params', 'Cannot show block: the path has a mistake', { mistakes })
}

/** `GET /streamnet/v1/transactions/{hash}`. */
export async function getTransaction(call: Call, hash: string): Promise<Response> {
  allow(call)
  return answerResult(await showTransaction(openClient(call, budgetMs), hash))
}

function readPage(call: Call): { readonly limit: number; readonly before?: Position } {
  allow(call)
  const { searchParams: query } = call.url
  const mistakes: Mistake[] = []
  const refuse = (path: string, input: string, expected: string) =>
    mistakes.push({ path, message: wanted(expected)({ input }) })
  const limit = query.get('limit') || String(pageSizes.usual)
  if (!/^\d{1,3}$/.test(limit) || Number(limit) < 1 || Number(limit) > pageSizes.most) {
    refuse('limit', limit, `a whole number from 1 to ${pageSizes.most}`)
  }
  const text = query.get('before') || undefined
  const before = text === undefined ? undefined : parsePosition(text)
  if (text !== undefined && before === undefined) refuse('before', text, 'a height, or the `next` of the page before')
  assertNoMistakes('list', mistakes)
  return { limit: Number(limit), ...(before !== undefined && { before }) }
}

/** Transactions hold records of every stream, so they need a scope for everything. */
function allow({ grant }: Call): void {
  assertAllowed(grant, 'read', ['*'])
}
