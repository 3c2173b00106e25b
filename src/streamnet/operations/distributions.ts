/** How the fees of settled markets were shared, and who got them. */

import { parseAddress } from '../ids.ts'
import type { Client } from '../ports.ts'
import { callAction } from '../rpc/call.ts'
import { readRows } from '../rpc/table.ts'
import { idOf } from './parameters.ts'

/**
 * Reads how a settled market's fees were shared; null while they are not.
 *
 * @example
 * ```ts
 * // Null until the market is settled.
 * const summary = await getDistributionSummary(client, { queryId: 1 })
 * ```
 */
export async function getDistributionSummary(client: Client, params: { readonly queryId: number }) {
  const rows = readRows(await callAction(client, 'get_distribution_summary', [idOf(params.queryId)]), {
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
 * @example
 * ```ts
 * const payments = await getDistributionDetails(client, { distributionId: 1 })
 * ```
 */
export async function getDistributionDetails(client: Client, params: { readonly distributionId: number }) {
  return readRows(
    await callAction(client, 'get_distribution_details', [idOf(params.distributionId, 'distribution_id')]),
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
 * @example
 * ```ts
 * const rewards = await getParticipantRewardHistory(client, { wallet: provider })
 * ```
 */
export async function getParticipantRewardHistory(client: Client, params: { readonly wallet: string }) {
  return readRows(
    await callAction(client, 'get_participant_reward_history', [parseAddress(params.wallet, 'wallet')]),
    {
      distribution_id: 'int',
      query_id: 'int',
      reward_amount: 'decimal',
      total_reward_percent: 'decimal',
      distributed_at: 'int',
    },
  )
}
