/** Distributions: the fees of settled markets and the wallets that got them. */

import { parseAddress } from '../ids.ts'
import type { Client, SendOptions } from '../ports.ts'
import { callAction } from '../rpc/call.ts'
import { readRows } from '../rpc/table.ts'
import { sendTransaction } from '../transaction/send.ts'
import type { TxHash } from '../types.ts'
import { assertAtLeast, checkId } from './parameters.ts'

/**
 * Reads how a settled market's fees were shared; null while they are not.
 *
 * @param params - `queryId` is the market's id, from 1.
 * @returns fees in wei.
 * @throws StreamNetError invalid_argument when the id is not a positive integer.
 *
 * @example
 * // Null until the market is settled.
 * const summary = await getDistributionSummary(client, { queryId: 1 })
 */
export async function getDistributionSummary(client: Client, params: { readonly queryId: number }) {
  const rows = readRows(await callAction(client, 'get_distribution_summary', [checkId(params.queryId)]), {
    distribution_id: 'int',
    total_lp_fees_distributed: 'decimal',
    total_dp_fees: 'decimal',
    total_validator_fees: 'decimal',
    total_lp_count: 'int',
    block_count: 'int',
    distributed_at: 'int',
  })
  return rows[0] ?? null
}

/**
 * Reads who got how much of a distribution.
 *
 * @param params - `distributionId` as `getDistributionSummary` returns it.
 * @returns rewards in wei.
 * @throws StreamNetError invalid_argument when the id is not a positive integer.
 *
 * @example
 * const payments = await getDistributionDetails(client, { distributionId: 1 })
 */
export async function getDistributionDetails(client: Client, params: { readonly distributionId: number }) {
  return readRows(
    await callAction(client, 'get_distribution_details', [checkId(params.distributionId, 'distribution_id')]),
    { participant_id: 'int', wallet_address: 'text', reward_amount: 'decimal', total_reward_percent: 'decimal' },
  )
}

/**
 * Reads what a wallet got of all distributions.
 *
 * @param params - `wallet` is `0x` and 40 hex digits.
 * @returns rewards in wei.
 * @throws StreamNetError invalid_argument when the address is malformed.
 *
 * @example
 * const rewards = await getParticipantRewardHistory(client, { wallet: provider })
 */
export async function getParticipantRewardHistory(client: Client, params: { readonly wallet: string }) {
  return readRows(await callAction(client, 'get_participant_reward_history', [parseAddress(params.wallet, 'wallet')]), {
    distribution_id: 'int',
    query_id: 'int',
    reward_amount: 'decimal',
    total_reward_percent: 'decimal',
    distributed_at: 'int',
  })
}

/**
 * Asks for a sample of the rewards of a market's liquidity. Today's network takes its samples by itself and refuses this
 * as private; clients of older networks call it.
 *
 * @param params - `block` is the height that the sample is for.
 * @throws StreamNetError invalid_argument when the id or the height is not a positive integer.
 * @throws StreamNetError transaction_failed when the network takes its samples by itself.
 *
 * @example
 * await sampleLpRewards(client, { queryId: 1, block: 50 }).catch(({ data }) => console.log(data.reason))
 */
export async function sampleLpRewards(
  client: Client,
  params: { readonly queryId: number; readonly block: number } & SendOptions,
): Promise<TxHash> {
  const { block } = params
  assertAtLeast(block, 0, 'block cannot be negative')
  return sendTransaction(client, 'sample_lp_rewards', [[checkId(params.queryId), block]], params)
}
