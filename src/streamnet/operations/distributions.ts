/** Distributions: the fees of settled markets and the wallets that got them. */

import { parseAddress } from '../ids.ts'
import type { Client } from '../ports.ts'
import { callAction } from '../rpc/call.ts'
import { readRows } from '../rpc/table.ts'
import { checkId } from './parameters.ts'

/**
 * Reads how a settled market's fees were shared; null while they are not.
 *
 * @param params - `queryId` is the market's id, from 1.
 * @returns fees in wei.
 * @throws StreamNetError invalid_argument when the id is not a positive integer.
 * @throws StreamNetError as `callAction` does.
 *
 * @example
 * ```ts
 * // Null until the market is settled.
 * const summary = await getDistributionSummary(client, { queryId: 1 })
 * ```
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
 * @throws StreamNetError as `callAction` does.
 *
 * @example
 * ```ts
 * const payments = await getDistributionDetails(client, { distributionId: 1 })
 * ```
 */
export async function getDistributionDetails(client: Client, params: { readonly distributionId: number }) {
  return readRows(
    await callAction(client, 'get_distribution_details', [checkId(params.distributionId, 'distribution_id')]),
    {
      participant_id: 'int',
      wallet_address: 'text',
      reward_amount: 'decimal',
      total_reward_percent: 'decimal',
    },
  )
}

/**
 * Reads what a wallet got of all distributions.
 *
 * @param params - `wallet` is `0x` and 40 hex digits.
 * @returns rewards in wei.
 * @throws StreamNetError invalid_argument when the address is malformed.
 * @throws StreamNetError as `callAction` does.
 *
 * @example
 * ```ts
 * const rewards = await getParticipantRewardHistory(client, { wallet: provider })
 * ```
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
