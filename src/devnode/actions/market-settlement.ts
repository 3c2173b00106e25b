/** Actions that settle markets, share their fees, and read how they did. */

import { parseDecimal, rescaleDecimal } from '../../base/decimal.ts'
import { actionError, sqlError } from '../errors.ts'
import { distributeFees } from '../markets/fees.ts'
import { settleMarket } from '../markets/settlement.ts'
import { findDistribution, listDistributions, listPayments, listPaymentsTo } from '../state/market-distributions.ts'
import { toId } from '../state/market-keys.ts'
import {
  putRewardSettings,
  putSettlementSettings,
  readRewardSettings,
  readSettlementSettings,
} from '../state/market-settings.ts'
import { findMarket, listActiveMarkets } from '../state/markets.ts'
import { isMember, networkWriter } from '../state/roles.ts'
import { type Action, type ActionContext, change, row, table, type Value, view } from './action.ts'

/** The network's actions on settlement and rewards. */
export const marketSettlementActions: readonly Action[] = [
  change({
    name: 'settle_market',
    parameters: { query_id: 'INT' },
    run: (context, { query_id }) => settleMarket(context, query_id),
  }),
  change({
    name: 'trigger_fee_distribution',
    parameters: { query_id: 'INT', total_fees: 'TEXT' },
    run(context, { query_id, total_fees }) {
      assertWriter(context, 'Only network_writer can trigger fee distribution')
      const market = findMarket(context.store, toId(query_id))
      if (market === undefined) {
        throw actionError(query_id === null ? '' : `Market not found: ${query_id}`)
      }
      const fees = wholeNumber(total_fees)
      // The network books the fees under the winning outcome, and its book takes none.
      if (market.settlement === undefined && fees >= 4n) {
        throw nullColumn('outcome', 'ob_net_impacts')
      }
      distributeFees(context, market, fees)
    },
  }),
  view({
    name: 'get_distribution_summary',
    parameters: { query_id: 'INT' },
    returns: table({
      distribution_id: 'INT',
      total_lp_fees_distributed: 'NUMERIC(78,0)',
      total_dp_fees: 'NUMERIC(78,0)',
      total_validator_fees: 'NUMERIC(78,0)',
      total_lp_count: 'INT',
      block_count: 'INT',
      distributed_at: 'INT8',
    }),
    run: ({ store, budget }, { query_id }) =>
      Array.from(listDistributions(store, query_id), (one) => {
        budget.spend(1)
        return [
          BigInt(one.id),
          one.liquidityFees,
          one.providerFees,
          one.validatorFees,
          BigInt(one.liquidityCount),
          BigInt(one.blockCount),
          BigInt(one.time),
        ]
      }),
  }),
  view({
    name: 'get_distribution_details',
    parameters: { distribution_id: 'INT' },
    returns: table({
      participant_id: 'INT',
      wallet_address: 'TEXT',
      reward_amount: 'NUMERIC(78,0)',
      total_reward_percent: 'NUMERIC(10,2)',
    }),
    run({ store, budget }, { distribution_id }) {
      const payments = [...listPayments(store, distribution_id)]
      budget.spend(payments.length)
      payments.sort(({ amount: left }, { amount: right }) => (left > right ? -1 : left < right ? 1 : 0))
      return payments.map(({ participant, wallet, amount, hundredths }) => [
        BigInt(participant),
        wallet,
        amount,
        hundredths,
      ])
    },
  }),
  view({
    name: 'get_participant_reward_history',
    parameters: { wallet_hex: 'TEXT' },
    returns: table({
      distribution_id: 'INT',
      query_id: 'INT',
      reward_amount: 'NUMERIC(78,0)',
      total_reward_percent: 'NUMERIC(10,2)',
      distributed_at: 'INT8',
    }),
    run({ store, budget }, { wallet_hex }) {
      const rows: Value[][] = []
      for (const payment of listPaymentsTo(store, `0x${(wallet_hex ?? '').replace(/^0x/, '').toLowerCase()}`)) {
        budget.spend(1)
        const { market = 0, time = 0 } = findDistribution(store, payment.distribution) ?? {}
        const { distribution, amount, hundredths } = payment
        rows.push([BigInt(distribution), BigInt(market), amount, hundredths, BigInt(time)])
      }
      return rows
    },
  }),
  view({
    name: 'get_settlement_config',
    parameters: {},
    returns: table({
      enabled: 'BOOL',
      settlement_schedule: 'TEXT',
      max_markets_per_run: 'INT',
      retry_attempts: 'INT',
      updated_at: 'INT8',
    }),
    run({ store }) {
      const { isEnabled, schedule, maxMarkets, retries, updatedAt } = readSettlementSettings(store)
      return [[isEnabled, schedule, BigInt(maxMarkets), BigInt(retries), BigInt(updatedAt)]]
    },
  }),
  change({
    name: 'update_settlement_config',
    parameters: { enabled: 'BOOL', schedule: 'TEXT', max_markets_per_run: 'INT', retry_attempts: 'INT' },
    run(context, { enabled, schedule, max_markets_per_run, retry_attempts }) {
      assertWriter(context, 'caller must be a member of system:network_writer role')
      if (enabled === null) throw actionError('enabled cannot be NULL')
      if (schedule === '') throw actionError('schedule cannot be empty')
      assertMost('max_markets_per_run', max_markets_per_run, 1000n)
      assertMost('retry_attempts', retry_attempts, 10n)
      const table = 'settlement_config'
      putSettlementSettings(context.store, {
        isEnabled: enabled,
        schedule: notNull(schedule, 'settlement_schedule', table),
        maxMarkets: Number(notNull(max_markets_per_run, 'max_markets_per_run', table)),
        retries: Number(notNull(retry_attempts, 'retry_attempts', table)),
        updatedAt: context.height,
      })
    },
  }),
  view({
    name: 'get_lp_rewards_config',
    parameters: {},
    returns: row({ enabled: 'BOOL', sampling_interval_blocks: 'INT', max_markets_per_run: 'INT' }),
    run({ store }) {
      const { isEnabled, intervalBlocks, maxMarkets } = readRewardSettings(store)
      return [[isEnabled, BigInt(intervalBlocks), BigInt(maxMarkets)]]
    },
  }),
  change({
    name: 'update_lp_rewards_config',
    parameters: { enabled: 'BOOL', sampling_interval_blocks: 'INT', max_markets_per_run: 'INT' },
    run(context, { enabled, sampling_interval_blocks, max_markets_per_run }) {
      assertWriter(context, 'Only network_writer can update LP rewards config')
      if (enabled === null) throw actionError('enabled cannot be NULL')
      if (sampling_interval_blocks !== null && sampling_interval_blocks < 1n) {
        throw actionError('sampling_interval_blocks must be >= 1')
      }
      assertMost('max_markets_per_run', max_markets_per_run, 1000n)
      const table = 'lp_rewards_config'
      putRewardSettings(context.store, {
        isEnabled: enabled,
        intervalBlocks: Number(notNull(sampling_interval_blocks, 'sampling_interval_blocks', table)),
        maxMarkets: Number(notNull(max_markets_per_run, 'max_markets_per_run', table)),
      })
    },
  }),
  view({
    name: 'get_active_markets_for_sampling',
    parameters: { limit: 'INT' },
    returns: row({ query_id: 'INT' }),
    run({ store, budget }, { limit }) {
      if (limit !== null && limit < 1n) throw actionError('limit must be >= 1')
      const rows: Value[][] = []
      for (const id of listActiveMarkets(store)) {
        budget.spend(1)
        rows.push([BigInt(id)])
        if (limit !== null && BigInt(rows.length) >= limit) break
      }
      return rows
    },
  }),
]

function assertWriter({ store, caller }: ActionContext, refusal: string): void {
  if (!isMember(store, networkWriter, caller.toLowerCase())) throw actionError(refusal)
}

/** A comparison with null is not true, so null passes here and fails at the table. */
function assertMost(name: string, value: bigint | null, most: bigint): void {
  if (value !== null && (value < 1n || value > most)) {
    throw actionError(`${name} must be between 1 and ${most}`)
  }
}

function notNull<T>(value: T | null, column: string, relation: string): T {
  if (value !== null) return value
  throw nullColumn(column, relation)
}

function nullColumn(column: string, relation: string) {
  return sqlError(`null value in column "${column}" of relation "${relation}" violates not-null constraint`, '23502')
}

/** Text as a whole number, rounded; null is nothing. */
function wholeNumber(text: string | null): bigint {
  if (text === null) return 0n
  try {
    const number = rescaleDecimal(parseDecimal(text), 0)
    if (String(number).length <= 78) return number
  } catch {
    // Refused below, as a number that is too long.
  }
  throw actionError(`Cannot read total_fees: "${text.slice(0, 64)}", expected a number of at most 78 digits`)
}
